// The portal's page: lets somebody in, shows the conversation, and streams the answers.
// Every text becomes text nodes; nothing that a model or a stranger wrote is ever read as HTML.

import {
  $, append, button, closeQuestions, element, questionCard, receiptCard, showAgent, showCaller, toEnd,
} from "./conversation.js";
import { kept, Problem, request, visit, visitAs } from "./server.js";
import { converse, send, stop } from "./talk.js";
import { languageOf, speakIn, words } from "./words.js";

// A message that was under way so long ago is not sent again by itself.
const PENDING_MS = 300000;

let businessWanted = null;

// ---- coming in ----------------------------------------------------------------------------------------------------

function speak(language) {
  speakIn(language);
  document.documentElement.lang = language || languageOf(language);
  $("about").textContent = words.about;
  $("skip").textContent = words.skip;
  $("conversation-title").textContent = words.conversation;
  $("message-label").textContent = words.message;
  $("message").placeholder = words.placeholder;
  $("send-label").textContent = words.send;
  $("stop-label").textContent = words.stop;
}

function introduce() {
  const { name, language } = visit.business;
  speak(language);
  document.title = name;
  $("name").textContent = name;
  $("mark").textContent = [...name.trim()][0]?.toUpperCase() ?? "";
  $("notice").hidden = true;
  $("composer").hidden = false;
}

// Where no language model is connected: that it is so, how one is connected, and questions that work.
function showDemo(demo) {
  const [aside, examples] = [$("demo"), $("examples")];
  aside.hidden = examples.hidden = !demo;
  if (!demo) return;
  const text = element("p", "", demo.text);
  text.id = "demo-text";
  const code = element("code", "", demo.lines.join("\n"));
  aside.replaceChildren(text, element("p", "", demo.connect), element("pre", "", code));
  const ask = (question) => button(question, () => send({ text: question }, question), "quiet");
  const label = element("p", "", demo.ask);
  label.id = "examples-label";
  examples.setAttribute("aria-labelledby", label.id);
  examples.replaceChildren(label, ...demo.examples.portal.map(ask));
}

function notice(text, act, label) {
  speak(languageOf(navigator.language));
  $("about").textContent = "";
  showDemo(null);
  $("notice").replaceChildren(element("p", "", text));
  if (act) $("notice").append(button(label, act));
  $("notice").hidden = false;
  $("composer").hidden = true;
  $("urgent").textContent = text;
}

async function enter(body) {
  const response = await request("session", { body, token: null });
  visitAs(await response.json());
  kept.clear();
  kept.write({ visit });
}

async function recall() {
  const told = await (await request("history")).json();
  visit.business = told.business;
  kept.write({ visit });
  introduce();
  showDemo(told.demo);
  showHistory(told);
}

function showHistory({ transcript, receipts, ask }) {
  if (!transcript.length) showAgent(visit.business.greeting, 0);
  $("examples").classList.toggle("after", transcript.length > 0);
  const entries = [...transcript.map((entry) => [entry.at, entry]), ...receipts.map((entry) => [entry.at, null, entry])];
  entries.sort(([one], [other]) => (one ?? "").localeCompare(other ?? ""));
  for (const [, said, receipt] of entries) {
    if (receipt) {
      const card = receiptCard(receipt);
      card.dataset.turn = receipt.turn;
      append(card);
    } else if (said.role === "caller") {
      showCaller(said.button ? words[said.button] : said.text, said.turn);
    } else {
      showAgent(said.text, said.turn, said.interrupted);
    }
  }
  if (ask) {
    const isSaid = transcript.at(-1)?.text.includes(ask.question) ?? false;
    const card = questionCard(ask, ask.question || words.confirm, isSaid, send);
    card.dataset.turn = ask.turn;
    append(card);
  }
  // Before anything was said, the page is read from its top.
  if (transcript.length) toEnd();
}

async function resume(pending) {
  await recall();
  if (!pending || Date.now() - pending.at > PENDING_MS) return;
  // Asked for again: what was answered meanwhile comes at once, and takes the place of what the record shows of it.
  closeQuestions();
  showCaller(pending.shown);
  toEnd();
  converse(pending);
}

async function start() {
  const query = new URLSearchParams(location.search);
  const linked = query.get("link");
  businessWanted = query.get("business");
  const { visit: known, pending } = kept.read();
  if (linked) {
    // It opens once; nobody should find it in the address bar or the browser's history.
    query.delete("link");
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }
  const isKnown = known && new Date(known.expiresAt) > new Date() && (!businessWanted || known.businessId === businessWanted);
  try {
    if (!linked && isKnown) {
      visitAs(known);
      await resume(pending);
      return;
    }
    if (!linked && !businessWanted) return void notice(words.noVisitors);
    await enter(linked ? { link: linked } : { businessId: businessWanted });
    await recall();
  } catch (error) {
    refuse(error, linked);
  }
}

function refuse(error, linked) {
  const status = error instanceof Problem ? error.status : 0;
  if (status === 429) notice(words.tooMany, start, words.retry);
  else if (linked && status >= 400 && status < 500 && !visit) notice(words.badLink);
  else if (status === 401 || status === 403) {
    const wasIn = visit !== null;
    kept.clear();
    visitAs(null);
    if (wasIn && businessWanted) notice(words.expired, start, words.anew);
    else notice(wasIn ? words.expired : words.noVisitors);
  } else {
    // The link was not spent; it is kept in memory only.
    notice(words.unreachable, () => (linked && !visit ? enterAgain(linked) : start()), words.retry);
  }
}

async function enterAgain(linked) {
  try {
    await enter({ link: linked });
    await recall();
  } catch (error) {
    refuse(error, linked);
  }
}

// ---- the composer -------------------------------------------------------------------------------------------------

function fit() {
  const field = $("message");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

$("message").addEventListener("input", fit);
$("message").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("message").value.trim();
  if (!text) return;
  $("message").value = "";
  fit();
  send({ text }, text);
});
$("stop").addEventListener("click", stop);
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("message").focus();
});

speak(languageOf(navigator.language));
start();
