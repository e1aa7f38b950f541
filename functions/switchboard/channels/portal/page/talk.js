// What is written is sent, and its answer received: again where the connection drops, and as often as it takes.

import { Answer, pause } from "./answer.js";
import { $, closeQuestions, showCaller, toEnd, trouble } from "./conversation.js";
import { eventsOf, kept, Problem, request } from "./server.js";
import { words } from "./words.js";

const RETRY_MS = [300, 1000, 2000, 4000, 8000];
const SILENCE_MS = 25000;
const STOP_MS = 1500;

let current = null;

export function send(content, shown) {
  const pending = { id: newId(), content, shown, at: Date.now() };
  closeQuestions();
  $("examples").classList.add("after");
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
  current?.leave();
  kept.write({ pending });
  showCaller(shown);
  toEnd();
  converse(pending);
}

function newId() {
  // crypto.randomUUID is missing where the page is served without TLS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function converse(pending) {
  const answer = new Answer(send);
  const task = { stopping: false, left: false, controller: null };
  task.leave = () => {
    task.left = true;
    task.controller?.abort();
    if (!answer.isDone) {
      answer.sentences.end();
      answer.on_done({ outcome: "interrupted" });
    }
  };
  task.stop = () => {
    task.stopping = true;
    $("stop").disabled = true;
    request("stop", { body: { messageId: pending.id }, keepalive: true }).catch(() => {});
    setTimeout(() => !answer.isDone && task.leave(), STOP_MS);
  };
  current = task;
  $("stop").hidden = false;
  $("stop").disabled = false;
  const problem = await receive(pending, answer, task);
  if (current === task) {
    current = null;
    const hadFocus = document.activeElement === $("stop");
    $("stop").hidden = true;
    if (hadFocus) $("message").focus();
  }
  if (task.left && !task.stopping) return;
  if (kept.read().pending?.id === pending.id) kept.write({ pending: null });
  if (problem) explain(problem, pending);
  else if (answer.trouble) trouble(answer.trouble, () => send(pending.content, pending.shown));
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
        if (event.name === "done") await answer.typed();
        if (task.left) return null;
        answer.show(event);
      }
      if (answer.isDone) return null;
    } catch (error) {
      if (task.left) return null;
      if (error instanceof Problem && !error.mayPass) {
        answer.remove();
        return error;
      }
    } finally {
      clearTimeout(silence);
    }
    if (task.left) return null;
    if (attempt >= RETRY_MS.length) {
      answer.remove();
      return new Problem(503);
    }
    answer.again(words.reconnecting);
    await pause(RETRY_MS[attempt]);
    if (task.left) return null;
  }
}

function explain(problem, pending) {
  if (problem.status === 401 || problem.status === 403) {
    kept.clear();
    $("composer").hidden = true;
    trouble(words.expired, new URLSearchParams(location.search).get("business") ? () => location.reload() : null, words.anew);
  } else if (problem.status === 429) {
    trouble(words.tooMany, () => again(pending));
  } else if (problem.mayPass) {
    kept.write({ pending });
    trouble(words.lost, () => again(pending));
  } else {
    if (pending.content.text && !$("message").value) $("message").value = pending.content.text;
    trouble(words.refused, null);
  }
}

// The same message: if it has been answered meanwhile, that answer is shown.
function again(pending) {
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
  kept.write({ pending: { ...pending, at: Date.now() } });
  converse(pending);
}

/** Break off the answer that is being given. */
export function stop() {
  current?.stop();
}
