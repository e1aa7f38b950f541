// The other tabs of this browser that show the same portal: they hand a visit on, and tell each other what was sent.
//
// A visit is handed over by a tab that is open, and kept in each tab's own session storage, never beside them: on a
// computer that people share, closing the tabs ends it, and whoever opens the page next begins a talk of their own.

const NAME = "switchboard.portal";
// A tab that is known to be there may be busy or asleep; where nobody can tell, few wait for one that is not.
const BUSY_MS = 3000;
const UNSURE_MS = 300;

const channel = opened();
let letGo = null;

function opened() {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    // Forbidden, or unknown here: each tab is alone.
    return null;
  }
}

/** Let other tabs know that a visit to a business can be had here; none where it is null. */
export function holdVisit(businessId) {
  letGo?.();
  letGo = null;
  if (!businessId || !navigator.locks) return;
  const isHeld = new Promise((resolve) => {
    letGo = resolve;
  });
  navigator.locks.request(`${NAME}:${businessId}`, { mode: "shared" }, () => isHeld).catch(() => {});
}

/** Ask the other tabs for the visit to a business, or for the one that a link has opened: {visit, link, pending} or null. */
export async function askForVisit(wish) {
  if (!channel) return null;
  const isThere = await mayBeThere(wish.businessId);
  if (isThere === false) return null;
  const question = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return new Promise((resolve) => {
    const end = (handed) => {
      clearTimeout(timer);
      channel.removeEventListener("message", hear);
      resolve(handed);
    };
    const hear = ({ data }) => {
      if (data.kind === "visit" && data.question === question) end(data.handed);
    };
    const timer = setTimeout(() => end(null), isThere ? BUSY_MS : UNSURE_MS);
    channel.addEventListener("message", hear);
    channel.postMessage({ kind: "ask", question, wish });
  });
}

/** Tell the other tabs of a conversation something: `kind` is sent or stopped. */
export function tell(kind, sessionId, content) {
  channel?.postMessage({ kind, sessionId, content });
}

/** Hear the others: `on` has offer(wish), which returns what is handed over or null, and what is told: sent, stopped. */
export function listen(on) {
  channel?.addEventListener("message", ({ data }) => {
    if (data.kind === "ask") {
      const handed = on.offer(data.wish);
      if (handed) channel.postMessage({ kind: "visit", question: data.question, handed });
    } else if (data.kind === "sent" || data.kind === "stopped") {
      on[data.kind](data.sessionId, data.content);
    }
  });
}

// Null where nobody can tell.
async function mayBeThere(businessId) {
  try {
    const { held } = await navigator.locks.query();
    return held.some(({ name }) => (businessId ? name === `${NAME}:${businessId}` : name.startsWith(`${NAME}:`)));
  } catch {
    return null;
  }
}
