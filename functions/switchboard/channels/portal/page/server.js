// Switchboard, as this page asks it; who is visiting, and what of that outlives a reload.

const KEPT = "switchboard.portal";

const streams = document.querySelector('meta[name="streams"]');
// Where the page comes through a server that holds streams back, conversations are had with the one behind it: all that
// belongs to one, since only the process that answers can be stopped; and so is the way in, since only who comes straight
// there is counted by an address of their own.
const elsewhere = streams?.content && streams.dataset.pageOrigin === location.origin ? `${streams.content}/portal/` : "";
const address = (path) => elsewhere ? new URL(path, elsewhere) : new URL(`../${path}`, import.meta.url);

// Who is visiting, as the server said it: {token, businessId, sessionId, business, expiresAt}.
export let visit = null;

export function visitAs(known) {
  visit = known;
}

// Where storage is forbidden it lasts as long as the page.
let remembered = {};

export const kept = {
  read() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    } catch {
      return remembered;
    }
  },
  write(changes) {
    remembered = { ...this.read(), ...changes };
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(remembered));
    } catch {
      // A reload begins anew.
    }
  },
  clear() {
    remembered = {};
    try {
      sessionStorage.removeItem(KEPT);
    } catch {
      // Nothing was kept.
    }
  },
};

export class Problem extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }

  get mayPass() {
    return this.status >= 500;
  }
}

export async function request(path, { body, accept = "application/json", signal, token = visit?.token, keepalive } = {}) {
  const headers = { Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(address(path), {
    method: body ? "POST" : "GET",
    headers,
    body: body && JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    signal,
    keepalive,
  });
  if (!response.ok) throw new Problem(response.status);
  return response;
}

export async function* eventsOf(response, alive) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = {};
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
      if (fields.event) yield { name: fields.event, data: JSON.parse(fields.data), turn: parseInt(fields.id, 10) };
    }
  }
}
