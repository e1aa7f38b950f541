// Preloaded into emulate, which would listen on every network of the machine: it listens on 127.0.0.1 alone.
"use strict";
const { Server } = require("node:net");

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, host, ...rest) {
  return typeof port === "number" ? listen.call(this, port, "127.0.0.1", ...rest) : listen.call(this, port, host, ...rest);
};
