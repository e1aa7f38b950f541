// A person of the business who answers instead of the assistant: that they come and go, and what they write.
//
// The server is asked for it while the page is looked at: often while somebody answers, seldom while nobody does, and not
// at all once a conversation has been silent for so long that it is over.

import { $, announce, append, element } from "./conversation.js";
import { Problem, request, visit } from "./server.js";
import { words } from "./words.js";

const ANSWERING_MS = 2000;
const RECENT_MS = 8000;
const SELDOM_MS = 30000;
const IS_RECENT_MS = 180000;
const IS_OVER_MS = 1800000;

// The turn of the last entry that is shown; who answers now, as the server says it; when something was written last.
let turn = 0;
let person = null;
let activeAt = -Infinity;
let timer = null;
let isLooking = false;
let goOn = () => {};
// Stands for the notice that the assistant goes on, until the server has one.
let goesOn = null;

/** Begin to look; `act` is called with a turn when the assistant is to answer what a person has not. */
export function watchPerson(act) {
  goOn = act;
  document.addEventListener("visibilitychange", () => !document.hidden && lookSoon());
}

/** Note what the server has said of a conversation as it is shown again: `answering` is its `person`. */
export function recallPerson(transcript, answering) {
  turn = 0;
  goesOn = null;
  for (const entry of transcript) if (isOfPerson(entry)) turn = Math.max(turn, entry.turn);
  answers(answering);
  if (transcript.length) lookSoon();
}

/** Look at once, since something was written. */
export function lookSoon() {
  activeAt = performance.now();
  look();
}

/** Tell whether an entry of the transcript is a person's, or says that one came or left. */
export function isOfPerson({ role }) {
  return role === "person" || role === "notice";
}

/** Show such an entry, once, where its turn has its place. */
export function showOfPerson(entry) {
  if (entry.id && [...$("conversation").children].some((item) => item.dataset.message === entry.id)) return false;
  const made = entry.role === "person" ? written(entry) : element("li", "note person-note", entry.text);
  if (entry.id) made.dataset.message = entry.id;
  made.dataset.turn = entry.turn;
  const later = [...$("conversation").children].find((item) => Number(item.dataset.turn) > entry.turn);
  if (goesOn && entry.role === "notice") {
    goesOn.replaceWith(made);
    goesOn = null;
  } else if (later) later.before(made);
  else append(made);
  return true;
}

function written({ name, text }) {
  const who = whoIs(name);
  return element("li", "person", element("div", "who", who), element("div", "bubble", text));
}

function whoIs(name) {
  const business = visit?.business.name ?? "";
  return name ? `${name} · ${business}` : words.somebodyOf.replace("{business}", business);
}

function answers(answering) {
  person = answering ?? null;
  $("about").textContent = person ? words.aboutPerson.replace("{who}", whoIs(person.name)) : words.about;
  document.body.classList.toggle("with-person", Boolean(person));
}

async function look() {
  clearTimeout(timer);
  timer = null;
  if (document.hidden || !visit || isLooking) return;
  const { sessionId } = visit;
  isLooking = true;
  try {
    const told = await (await request(`news?after=${turn}`)).json();
    if (visit?.sessionId === sessionId) take(told);
  } catch (error) {
    // Whoever is let in no more is told so when they write.
    if (error instanceof Problem && !error.mayPass && error.status !== 429) activeAt = -Infinity;
  } finally {
    isLooking = false;
  }
  const silent = performance.now() - activeAt;
  if (person) timer = setTimeout(look, ANSWERING_MS);
  else if (silent < IS_OVER_MS) timer = setTimeout(look, silent < IS_RECENT_MS ? RECENT_MS : SELDOM_MS);
}

function take({ transcript, person: answering, waiting }) {
  for (const entry of transcript) {
    turn = Math.max(turn, entry.turn);
    if (!showOfPerson(entry)) continue;
    activeAt = performance.now();
    announce(entry.role === "person" ? `${whoIs(entry.name)}: ${entry.text}` : entry.text);
    // Whatever the assistant has asked is not for the person who answers now.
    if (answering) document.querySelectorAll("#conversation > .ask").forEach((item) => item.remove());
  }
  if (Boolean(answering) !== Boolean(person) || answering?.name !== person?.name) answers(answering);
  if (!waiting) return;
  if (!goesOn && document.querySelector("#conversation > li:last-child:not(.person-note)")) {
    goesOn = element("li", "note person-note", words.goesOn);
    append(goesOn);
    announce(words.goesOn);
  }
  goOn(turn);
}
