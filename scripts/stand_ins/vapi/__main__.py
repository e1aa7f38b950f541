"""Serve the stand-in: `python -m stand_ins.vapi`."""

import argparse

from running.listening import listen
from stand_ins.loopback import serve
from stand_ins.vapi.account import KEY
from stand_ins.vapi.app import VapiStandIn

if __name__ == "__main__":
    line = argparse.ArgumentParser("stand_ins.vapi", description="A stand-in for Vapi on 127.0.0.1.")
    line.add_argument("--port", type=int, default=9542)
    line.add_argument("--key", default=KEY, help="the account's private key")
    chosen = line.parse_args()
    print(f"http://127.0.0.1:{chosen.port} private key {chosen.key}", flush=True)
    serve(VapiStandIn(chosen.key).app, listen(chosen.port, "--port"))
