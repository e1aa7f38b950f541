// The portal's page: lets somebody in, shows the conversation, and streams the answers.
// Every text becomes text nodes; nothing that a model or a stranger wrote is ever read as HTML.

import { compose, giveBack, measure } from "./composer.js";
import {
  $, append, button, closeQuestions, element, questionCard, receiptCard, showAgent, showCaller, toEnd, trouble,
} from "./conversation.js";
import { isOfPerson, recallPerson, showOfPerson, watchPerson } from "./person.js";
import { kept, Problem, request, visit, visitAs } from "./server.js";
import { askForVisit, holdVisit, listen } from "./tabs.js";
import { converse, follow, goOn, isAnswering, onceOver, send, stop, stopped } from "./talk.js";
import { languageOf, speakIn, words } from "./words.js";

// A message that was under way so long ago is not sent again by itself.
const PENDING_MS = 300000;

let businessWanted = null;
// Whether the server lets this visit in no more.
let isOver = false;

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
  measure();
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
  // What was written and not taken is not hidden.
  $("composer").hidden = !$("message").value;
  $("urgent").textContent = text;
}

async function enter(body) {
  const response = await request("session", { body, token: null });
  visitAs(await response.json());
  kept.clear();
  kept.write({ visit, link: body.link });
  isOver = false;
}

async function recall() {
  const told = await (await request("history")).json();
  visit.business = told.business;
  kept.write({ visit });
  introduce();
  $("conversation").replaceChildren();
  showDemo(told.demo);
  showHistory(told);
  holdVisit(visit.businessId);
}

function showHistory({ transcript, receipts, ask, person }) {
  if (!transcript.length) showAgent(visit.business.greeting, 0);
  $("examples").classList.toggle("after", transcript.length > 0);
  const entries = joined(transcript).map((said) => ({ said }));
  for (const receipt of receipts) {
    // It is written down at the end of its turn, and came before the words that tell of it.
    const last = entries.findLastIndex(({ said }) => said?.role === "agent" && said.turn === receipt.turn);
    entries.splice(last < 0 ? entries.length : last, 0, { receipt });
  }
  for (const { said, receipt } of entries) {
    if (receipt) {
      const card = receiptCard(receipt);
      card.dataset.turn = receipt.turn;
      append(card);
    } else if (isOfPerson(said)) {
      showOfPerson(said);
    } else if (said.role === "caller") {
      showCaller(said.button ? words[said.button] : said.text, said.turn);
    } else {
      showAgent(said.text, said.turn, { wasInterrupted: said.interrupted, isCut: said.cut });
    }
  }
  if (ask) {
    const isSaid = transcript.at(-1)?.text.includes(ask.question) ?? false;
    const card = questionCard(ask, ask.question || words.confirm, isSaid, send);
    card.dataset.turn = ask.turn;
    append(card);
  }
  recallPerson(transcript, person);
  // Before anything was said, the page is read from its top.
  if (transcript.length) toEnd();
}

// An answer that only a filler has parted, in the middle of a sentence, was one bubble when it was given.
function joined(transcript) {
  const entries = [];
  for (const said of transcript) {
    const before = entries.at(-1);
    const goesOn = before?.role === "agent" && said.role === "agent" && before.turn === said.turn;
    if (goesOn && !/[.!?…:]["')”»]*\s*$/u.test(before.text)) entries.push({ ...said, text: entries.pop().text + said.text });
    else entries.push(said);
  }
  return entries;
}

async function resume(pending) {
  await recall();
  if (!pending || Date.now() - pending.at > PENDING_MS) return;
  // Asked for again: what was answered meanwhile comes at once, and takes the place of what the record shows of it.
  closeQuestions();
  converse(pending);
}

/** Come in by what this tab has kept, by another tab's visit, or anew: by a link that was not opened, or as a stranger. */
async function start() {
  const query = new URLSearchParams(location.search);
  const linked = query.get("link");
  businessWanted = query.get("business");
  if (linked) {
    // It opens once; nobody should find it in the address bar or the browser's history.
    query.delete("link");
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }
  const { visit: known, pending, link } = kept.read();
  const isMeant = linked ? link === linked : !businessWanted || known?.businessId === businessWanted;
  try {
    if (known && isMeant && new Date(known.expiresAt) > new Date()) {
      visitAs(known);
      await resume(pending);
    } else if (linked) {
      await open(linked);
    } else if (businessWanted) {
      await visitBusiness(businessWanted);
    } else {
      notice(words.noVisitors);
    }
  } catch (error) {
    refuse(error, linked, pending);
  }
}

/** Go on with a link that was sent: opened here, or before in a tab that is still there. */
async function open(linked) {
  try {
    await enter({ link: linked });
  } catch (error) {
    const isSpent = error instanceof Problem && !error.mayPass && error.status !== 429;
    if (isSpent && await join({ link: linked })) return;
    throw error;
  }
  await recall();
}

/** Go on with the talk that another tab has with a business, or begin one. */
async function visitBusiness(businessId) {
  if (await join({ businessId })) return;
  await enter({ businessId });
  await recall();
}

async function join(wish) {
  const handed = await askForVisit(wish);
  if (!handed) return false;
  visitAs(handed.visit);
  isOver = false;
  kept.write({ visit, link: handed.link });
  try {
    await resume(handed.pending);
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || error.mayPass) throw error;
    // Its tab does not know yet that it is over.
    kept.clear();
    visitAs(null);
    return false;
  }
}

function refuse(error, linked, pending) {
  const status = error instanceof Problem ? error.status : 0;
  if (status === 429) notice(words.tooMany, start, words.retry);
  else if (linked && status >= 400 && status < 500 && !visit) notice(words.badLink);
  else if (status === 401 || status === 403) {
    const businessId = businessWanted ?? visit?.businessId;
    const wasIn = visit !== null;
    kept.clear();
    visitAs(null);
    giveBack(pending?.content.text);
    if (wasIn) notice(words.expired, () => anew(businessId), words.anew);
    else notice(words.noVisitors);
  } else {
    // The link was not spent; it is kept in memory only.
    notice(words.unreachable, () => (linked && !visit ? again(linked) : start()), words.retry);
  }
}

async function again(linked) {
  try {
    await open(linked);
  } catch (error) {
    refuse(error, linked);
  }
}

// ---- a visit that is over, and another one -------------------------------------------------------------------------

function over() {
  if (isOver) return;
  isOver = true;
  kept.clear();
  holdVisit(null);
  const { businessId } = visit;
  trouble(words.expired, () => anew(businessId), words.anew);
}

/** Begin another visit; what was written stays in the field. */
async function anew(businessId) {
  const wasLinked = !businessWanted;
  visitAs(null);
  try {
    await visitBusiness(businessId);
    $("message").focus();
  } catch (error) {
    const isClosed = error instanceof Problem && (error.status === 401 || error.status === 403);
    $("conversation").replaceChildren();
    if (isClosed) notice(wasLinked ? words.badLink : words.noVisitors);
    else notice(error.status === 429 ? words.tooMany : words.unreachable, () => anew(businessId), words.retry);
  }
}

// ---- other tabs ----------------------------------------------------------------------------------------------------

// What others have sent while nobody looked at this one, the last of it.
let missed = null;

function look() {
  if (document.hidden || !missed || !visit || isOver || isAnswering()) return;
  const pending = missed;
  missed = null;
  resume(pending).catch(() => {
    // As it was before; it is looked at again.
    missed ??= pending;
  });
}

listen({
  offer: ({ businessId, link }) => {
    if (!visit || isOver || new Date(visit.expiresAt) <= new Date()) return null;
    const { link: opened, pending } = kept.read();
    const isMeant = link ? link === opened : businessId === visit.businessId;
    return isMeant ? { visit, link: opened, pending } : null;
  },
  sent: (sessionId, pending) => {
    if (sessionId !== visit?.sessionId || isOver) return;
    if (document.hidden && !isAnswering()) {
      missed = pending;
      kept.write({ pending });
    } else follow(pending);
  },
  stopped: (sessionId, id) => {
    if (sessionId === visit?.sessionId) stopped(id);
  },
});
document.addEventListener("visibilitychange", look);

onceOver(over);
watchPerson(goOn);
compose((text) => {
  if (!visit || isOver) {
    document.querySelector("#conversation > .trouble button, #notice button")?.focus();
    return false;
  }
  send({ text }, text);
  return true;
});
$("stop").addEventListener("click", stop);
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("message").focus();
});

speak(languageOf(navigator.language));
start();
