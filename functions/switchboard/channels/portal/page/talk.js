// What is written is sent, and its answer received: again where the connection drops, and as often as it takes.

import { Answer, pause } from "./answer.js";
import { giveBack } from "./composer.js";
import { $, closeQuestions, element, showCaller, toEnd, trouble } from "./conversation.js";
import { eventsOf, kept, Problem, request, visit } from "./server.js";
import { tell } from "./tabs.js";
import { words } from "./words.js";

const RETRY_MS = [300, 1000, 2000, 4000, 8000];
const SILENCE_MS = 25000;
const STOP_MS = 1500;

// What is being answered, by the message: mostly one, more where tabs send at once.
const tasks = new Map();
// Messages whose answers have been shown here.
const answered = new Set();
let whenOver = () => {};

/** Have `act` called when the server lets this visit in no more. */
export function onceOver(act) {
  whenOver = act;
}

export function isAnswering() {
  return tasks.size > 0;
}

export function send(content, shown) {
  const pending = { id: newId(), content, shown, at: Date.now() };
  begin();
  for (const task of tasks.values()) task.leave();
  begun(pending);
}

/** Show a message that another tab has sent, and its answer. */
export function follow(pending) {
  if (tasks.has(pending.id) || answered.has(pending.id)) return;
  begin();
  kept.write({ pending });
  converse(pending, { isOurs: false });
}

/** Receive the answer to what was written to a person who answers no more; behind a turn it is one, in every tab. */
export function goOn(turn) {
  const id = `go-on-${turn}`;
  if (tasks.size || answered.has(id)) return;
  converse({ id, content: { goOn: true }, at: Date.now() }, { caller: element("li"), isOurs: false });
}

/** Break off what is being answered. */
export function stop() {
  for (const task of tasks.values()) task.stop();
}

/** Another tab has broken off the answer to a message. */
export function stopped(id) {
  tasks.get(id)?.expectEnd();
}

function begin() {
  closeQuestions();
  $("examples").classList.add("after");
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
}

function begun(pending, caller) {
  kept.write({ pending });
  tell("sent", visit.sessionId, pending);
  converse(pending, { caller });
}

function newId() {
  // crypto.randomUUID is missing where the page is served without TLS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Receive the answer to a message, which is sent, or heard again; `caller` is where it is shown already. */
export async function converse(pending, { caller, isOurs = true } = {}) {
  const shown = caller ?? showCaller(pending.shown);
  if (isOurs) toEnd();
  const answer = new Answer(send, shown);
  const task = new Task(pending, answer);
  tasks.set(pending.id, task);
  $("stop").hidden = false;
  $("stop").disabled = false;
  const problem = await receive(pending, answer, task);
  task.end();
  tasks.delete(pending.id);
  if (!tasks.size) {
    const hadFocus = document.activeElement === $("stop");
    $("stop").hidden = true;
    if (hadFocus) $("message").focus();
  }
  if (!problem) answered.add(pending.id);
  if (kept.read().pending?.id === pending.id) kept.write({ pending: null });
  if (problem && !isOurs) {
    // The tab that has sent it says what is wrong with it.
    shown.remove();
    if (isOver(problem)) explain(problem, null, shown);
  } else if (problem && !task.isLeft) explain(problem, pending, shown);
  else if (answer.trouble && isOurs) trouble(answer.trouble, () => send(pending.content, pending.shown));
}

// One message that is being answered. What the server says of the end decides whether the answer was whole, as long as
// the server is heard of.
class Task {
  isLeft = false;
  controller = null;
  #pending;
  #answer;
  #timer = null;

  constructor(pending, answer) {
    this.#pending = pending;
    this.#answer = answer;
  }

  /** Something else has been sent: the server breaks this off, unless all has been said. */
  leave() {
    this.expectEnd();
  }

  stop() {
    $("stop").disabled = true;
    this.expectEnd();
    // Where all has been said, only its showing is hurried.
    if (this.#answer.ending) return;
    tell("stopped", visit.sessionId, this.#pending.id);
    request("stop", { body: { messageId: this.#pending.id }, keepalive: true }).catch(() => {});
  }

  expectEnd() {
    this.#answer.hurry();
    this.#timer ??= setTimeout(() => this.giveUp(), STOP_MS);
  }

  get isExpectingEnd() {
    return this.#timer !== null;
  }

  giveUp() {
    if (this.isLeft || this.#answer.isDone) return;
    this.isLeft = true;
    this.controller?.abort();
    this.#answer.sentences.end();
    this.#answer.on_done(this.#answer.ending ?? { outcome: "interrupted" });
  }

  end() {
    clearTimeout(this.#timer);
  }
}

// Returns what went wrong for good; a connection that drops is taken up again with the same message.
async function receive(pending, answer, task) {
  for (let attempt = 0; ; attempt += 1) {
    const controller = (task.controller = new AbortController());
    let silence = setTimeout(() => controller.abort(), SILENCE_MS);
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(), SILENCE_MS);
    };
    try {
      const body = { messageId: pending.id, ...pending.content };
      const response = await request("chat", { body, accept: "text/event-stream", signal: controller.signal });
      for await (const event of eventsOf(response, alive)) {
        if (event.name === "done") await answer.typed(event.data);
        if (task.isLeft) return null;
        answer.show(event);
      }
      if (answer.isDone) return null;
    } catch (error) {
      if (task.isLeft) return null;
      if (error instanceof Problem && !error.mayPass) {
        answer.remove();
        return error;
      }
    } finally {
      clearTimeout(silence);
    }
    if (task.isExpectingEnd) {
      task.giveUp();
      return null;
    }
    if (attempt >= RETRY_MS.length) {
      answer.remove();
      return new Problem(503);
    }
    answer.again(words.reconnecting);
    await pause(RETRY_MS[attempt]);
    if (task.isLeft) return null;
  }
}

const isOver = (problem) => problem.status === 401 || problem.status === 403;

function explain(problem, pending, shown) {
  if (isOver(problem)) {
    shown.remove();
    giveBack(pending?.content.text);
    whenOver();
  } else if (problem.status === 429) {
    trouble(words.tooMany, () => again(pending, shown));
  } else if (problem.mayPass) {
    kept.write({ pending });
    trouble(words.lost, () => again(pending, shown));
  } else {
    giveBack(pending.content.text);
    trouble(words.refused, null);
  }
}

// The same message: if it has been answered meanwhile, that answer is shown.
function again(pending, shown) {
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
  begun({ ...pending, at: Date.now() }, shown);
}
