// What the conversation is shown with: bubbles, receipts, questions, and what a screen reader is told.

import { rendered } from "./marks.js";
import { visit } from "./server.js";
import { words } from "./words.js";

// Which label stands before the person of a receipt; `what` is told where the title does not say it already.
const PERSON = { take_message: "from", send_email: "to", send_sms: "to", send_verification_code: "to" };
const TITLE_SAYS_WHAT = new Set([
  "take_message", "send_email", "send_sms", "send_verification_code", "check_verification_code", "verify_caller",
  "send_portal_link",
]);

export const $ = (id) => document.getElementById(id);

export function element(name, classes = "", ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

export function button(label, act, classes = "") {
  const made = element("button", classes, label);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function check() {
  const space = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(space, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  for (const [name, value] of Object.entries({
    d: "M5 12.5l4.5 4.5L19 7.5", fill: "none", stroke: "currentColor", "stroke-width": "3.2",
    "stroke-linecap": "round", "stroke-linejoin": "round",
  })) path.setAttribute(name, value);
  icon.append(path);
  return icon;
}

export function bubble(role) {
  const text = element("div", "bubble");
  return { item: element("li", role, element("span", "unseen", role === "caller" ? words.you : words.agent), text), text };
}

export const sites = () => visit?.business.sites ?? [];

function moment(text) {
  const at = new Date(text);
  const zone = visit?.business.timezone || "UTC";
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const options = { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit", timeZone: zone };
  if (at.getFullYear() !== new Date().getFullYear()) options.year = "numeric";
  // Whoever is elsewhere has to know whose time it is.
  if (zone !== here) options.timeZoneName = "short";
  try {
    return new Intl.DateTimeFormat([...navigator.languages], options).format(at);
  } catch {
    // No time, or a zone that this browser does not know: as it was written.
    return text;
  }
}

export function receiptRows(receipt) {
  const rows = [];
  if (receipt.what && !TITLE_SAYS_WHAT.has(receipt.tool)) {
    rows.push([words.what, receipt.what.replace(/^(moved|changed|cancelled): /, "")]);
  }
  if (receipt.with) rows.push([words.with, receipt.with]);
  if (receipt.for) rows.push([words[PERSON[receipt.tool] ?? "for"], receipt.for]);
  if (receipt.partySize) rows.push([words.people, String(receipt.partySize)]);
  if (receipt.when) rows.push([words.when, moment(receipt.when)]);
  return rows;
}

export function receiptCard(receipt) {
  const list = element("dl");
  for (const [label, text] of receiptRows(receipt)) list.append(element("dt", "", label), element("dd", "", text));
  return element("li", "receipt", check(), element("h3", "", receiptTitle(receipt)), list);
}

export function receiptTitle(receipt) {
  // What stays at its time was changed, whichever tool did it.
  if (receipt.what?.startsWith("changed: ")) return words.changed;
  return words.receipts[receipt.tool] ?? words.done;
}

export function activity(label, classes = "activity") {
  const dots = element("span", "dots", element("i"), element("i"), element("i"));
  dots.setAttribute("aria-hidden", "true");
  return element("li", classes, dots, element("span", "", label));
}

export function append(...items) {
  const scroller = $("scroller");
  const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 120;
  $("conversation").append(...items);
  if (isAtEnd) toEnd();
}

export function toEnd() {
  $("scroller").scrollTop = $("scroller").scrollHeight;
}

export function toEndIfNear() {
  const scroller = $("scroller");
  if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 160) toEnd();
}

export function announce(text) {
  const spoken = $("spoken");
  spoken.append(element("p", "", text));
  while (spoken.childElementCount > 20) spoken.firstElementChild.remove();
}

export function questionCard(asked, question, isSaid, send) {
  const choices = element("div", "choices");
  for (const value of ["yes", "no"]) {
    choices.append(
      button(words[value], (event) => {
        send({ button: value, question: asked.turn }, words[value]);
        // A keyboard's focus would be lost with the button.
        if (event.detail === 0) $("message").focus();
      }, value === "no" ? "quiet" : ""),
    );
  }
  choices.setAttribute("role", "group");
  choices.setAttribute("aria-label", question);
  return element("li", "ask", element("p", isSaid ? "unseen" : "", question), choices);
}

export function closeQuestions() {
  document.querySelectorAll("#conversation > .ask").forEach((item) => {
    if (item.querySelector("p.unseen")) item.remove();
    else item.querySelector(".choices")?.remove();
  });
}

export function showCaller(text, turn) {
  const made = bubble("caller");
  made.text.append(text);
  if (turn !== undefined) made.item.dataset.turn = turn;
  append(made.item);
  return made.item;
}

/** Show what was said before: `wasInterrupted` of what was broken off, `isCut` where the record does not hold the rest. */
export function showAgent(text, turn, { wasInterrupted = false, isCut = false } = {}) {
  if (!text.trim()) return;
  const made = bubble("agent");
  made.text.append(...rendered(text.trim(), sites()));
  if (wasInterrupted) made.item.append(element("div", "cut", words.stopped));
  else if (isCut) made.item.append(element("div", "cut", words.notKept));
  made.item.dataset.turn = turn;
  append(made.item);
}

export function trouble(text, retry, label = words.retry) {
  const item = element("li", "trouble", element("p", "", text));
  if (retry) item.append(button(label, retry));
  append(item);
  toEnd();
  $("urgent").textContent = "";
  $("urgent").textContent = text;
}
