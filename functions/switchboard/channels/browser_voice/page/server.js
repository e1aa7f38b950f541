// Switchboard, as this page asks it. Addresses are relative to this file, whatever the page itself is called by; where it
// comes through a server that holds streams back, talks are begun and had with the one behind it.

import { events } from "./event_stream.js";

const streams = document.querySelector('meta[name="streams"]');
const elsewhere = streams?.content && streams.dataset.pageOrigin === location.origin;
const HERE = elsewhere ? new URL(`${streams.content}/browser_voice/`) : new URL("../", import.meta.url);
const PORTAL = elsewhere ? new URL(`${streams.content}/portal/`) : new URL("../../portal/", import.meta.url);
const KEPT = "switchboard.browserVoice.visit";

/** A request was refused, or did not get through; `message` is in words. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Server {
  #token = null;

  /** Come in with what the address holds: a visit, a link from the phone, or the name of a business; returns the visit. */
  async enter(location, storage) {
    const query = new URLSearchParams(location.search);
    const [link, businessId] = [query.get("link"), query.get("businessId") ?? query.get("business")];
    if (location.hash.startsWith("#visit.")) {
      this.#token = location.hash.slice(1);
      return null;
    }
    const kept = JSON.parse(storage.getItem(KEPT) ?? "null");
    // A link opens once; whoever reloads the page goes on with what it opened.
    if (kept && (link ? kept.link === link : !businessId || kept.businessId === businessId)) {
      this.#token = kept.token;
      return kept;
    }
    if (!link && !businessId) throw new Refused(0, "");
    const visit = await this.#json(new URL("session", PORTAL), link ? { link } : { businessId });
    storage.setItem(KEPT, JSON.stringify({ ...visit, link }));
    this.#token = visit.token;
    return visit;
  }

  forget(storage) {
    storage.removeItem(KEPT);
  }

  async post(path, body) {
    return this.#json(new URL(path, HERE), body);
  }

  /** Take a human turn; yields its events. */
  async *turn(body) {
    yield* events(await this.#fetch(new URL("turn", HERE), body));
  }

  async #json(url, body) {
    return (await this.#fetch(url, body)).json();
  }

  async #fetch(url, body) {
    const headers = { "Content-Type": "application/json" };
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    let response;
    try {
      response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    } catch {
      throw new Refused(0, "");
    }
    if (response.ok) return response;
    const answer = await response.json().catch(() => null);
    throw new Refused(response.status, answer?.error?.message ?? "");
  }
}
