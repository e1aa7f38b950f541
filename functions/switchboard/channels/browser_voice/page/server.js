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

// Where storage is forbidden it lasts as long as the page.
let remembered = null;

const kept = {
  read() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT));
    } catch {
      return remembered;
    }
  },
  write(visit) {
    remembered = visit;
    try {
      if (visit) sessionStorage.setItem(KEPT, JSON.stringify(visit));
      else sessionStorage.removeItem(KEPT);
    } catch {
      // A reload begins anew.
    }
  },
};

export class Server {
  #visit = null;
  #businessId = null;

  /** What is kept of this visit for a reload: the visit, and whatever `keep` has added; null without one. */
  get kept() {
    return this.#visit;
  }

  keep(more) {
    this.#visit = { ...this.#visit, ...more };
    kept.write(this.#visit);
  }

  /** Come in with what the address holds: a visit, a link from the phone, or the name of a business. */
  async enter(location) {
    const query = new URLSearchParams(location.search);
    const [link, businessId] = [query.get("link"), query.get("businessId") ?? query.get("business")];
    this.#businessId = businessId;
    if (location.hash.startsWith("#visit.")) {
      // It stands there once; a reload goes on with it.
      kept.write(null);
      this.keep({ token: location.hash.slice(1), link });
      return;
    }
    const known = kept.read();
    // A link opens once; whoever reloads the page goes on with what it opened.
    if (known && (link ? known.link === link : !businessId || !known.businessId || known.businessId === businessId)) {
      this.#visit = known;
      return;
    }
    if (!link && !businessId) throw new Refused(0, "");
    await this.#begin(link ? { link } : { businessId }, link);
  }

  /** Whether another visit can be begun where this one is over. */
  get canBeginAnew() {
    return Boolean(this.#businessId ?? this.#visit?.businessId);
  }

  async beginAnew() {
    await this.#begin({ businessId: this.#businessId ?? this.#visit.businessId }, null);
  }

  async #begin(way, link) {
    const visit = await (await this.#fetch(new URL("session", PORTAL), { body: way, token: null })).json();
    this.#visit = null;
    this.keep({ ...visit, link });
  }

  /** Tell whether an error means that this visit lets nobody in any more, rather than that something is not had. */
  async isOver(error) {
    if (error.status !== 403) return error.status === 401;
    try {
      await this.history();
      return false;
    } catch (other) {
      return other.status === 401 || other.status === 403;
    }
  }

  /** What was said and done so far, as the server has it written down. */
  async history() {
    return (await this.#fetch(new URL("history", HERE))).json();
  }

  /** `keepalive` has it sent also where the page is being left. */
  async post(path, body, { keepalive = false } = {}) {
    return (await this.#fetch(new URL(path, HERE), { body, keepalive })).json();
  }

  /** Take a human turn; yields its events. */
  async *turn(body) {
    yield* events(await this.#fetch(new URL("turn", HERE), { body }));
  }

  async #fetch(url, { body, keepalive, token = this.#visit?.token } = {}) {
    const headers = body ? { "Content-Type": "application/json" } : {};
    if (token) headers.Authorization = `Bearer ${token}`;
    const method = body ? "POST" : "GET";
    let response;
    try {
      response = await fetch(url, { method, headers, body: body && JSON.stringify(body), cache: "no-store", keepalive });
    } catch {
      throw new Refused(0, "");
    }
    if (response.ok) return response;
    const answer = await response.json().catch(() => null);
    throw new Refused(response.status, answer?.error?.message ?? "");
  }
}
