// One answer while it is given: its words are typed, its receipts and question placed, and all of it told.

import {
  $, activity, announce, append, bubble, element, questionCard, receiptCard, receiptRows, receiptTitle, sites,
  toEndIfNear,
} from "./conversation.js";
import { plainly, rendered } from "./marks.js";
import { lookSoon } from "./person.js";
import { visit } from "./server.js";
import { languageOf, words } from "./words.js";

const TYPE_MS = 28;
// How long a quick look-up stays to be seen, and how long a slow one takes until a screen reader is told.
const ACTIVITY_MS = 450;
const WORTH_TELLING_MS = 500;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const prefersStillness = matchMedia("(prefers-reduced-motion: reduce)");

// Streamed words are told sentence by sentence, and each sentence once, also when a dropped answer is read again.
class Sentences {
  constructor() {
    this.told = 0;
    this.begin();
  }

  begin() {
    this.text = "";
    this.seen = 0;
  }

  add(piece) {
    this.text += piece;
    const found = this.split();
    found.slice(0, -1).forEach((sentence) => this.tell(sentence));
    this.text = found.at(-1) ?? "";
  }

  end() {
    this.split().forEach((sentence) => this.tell(sentence));
    this.text = "";
  }

  split() {
    if (!Intl.Segmenter) return [this.text];
    const segments = new Intl.Segmenter(languageOf(visit.business.language), { granularity: "sentence" }).segment(this.text);
    return [...segments].map((part) => part.segment);
  }

  tell(sentence) {
    if (!sentence.trim()) return;
    this.seen += 1;
    if (this.seen <= this.told) return;
    this.told = this.seen;
    announce(plainly(sentence, sites()));
  }
}

export class Answer {
  /** `send` is called with what is pressed under a question; `caller` shows what is answered. */
  constructor(send, caller) {
    this.send = send;
    this.caller = caller;
    // The turn, once the server has said it, and how it ended, before all of it is shown.
    this.turn = 0;
    this.ending = null;
    this.isHurried = false;
    this.sentences = new Sentences();
    this.begin();
  }

  begin() {
    this.items = [];
    this.activities = new Map();
    this.said = "";
    this.queue = "";
    this.bubble = null;
    this.shown = "";
    this.asked = null;
    this.isDone = false;
    this.waiting = this.place(activity(words.writing, "activity waiting"));
    this.waiting.lastElementChild.className = "unseen";
  }

  // The connection dropped: what comes next is the whole answer again.
  again(label) {
    this.remove();
    this.sentences.begin();
    this.begin();
    this.waiting.lastElementChild.className = "";
    this.waiting.lastElementChild.textContent = label;
  }

  remove() {
    clearTimeout(this.timer);
    this.timer = null;
    this.closeActivities();
    this.items.forEach((item) => item.remove());
  }

  place(item) {
    this.items.push(item);
    if (this.turn) item.dataset.turn = this.turn;
    this.put(item);
    return item;
  }

  // Behind what stands there of this answer; another may be shown below it already.
  put(item) {
    const last = this.elements().filter((one) => one !== item).at(-1);
    if (last?.nextElementSibling) last.after(item);
    else append(item);
  }

  elements() {
    return [this.caller, ...this.items].filter((item) => item.isConnected);
  }

  show({ name, data, turn }) {
    if (this.isDone) return;
    if (turn && !this.turn) this.begins(turn);
    this[`on_${name}`]?.(data);
  }

  // Where the server has it among the turns: two tabs may have sent at once, each showing its own first.
  begins(turn) {
    this.turn = turn;
    const own = this.elements();
    const others = [...$("conversation").children].filter((item) => item.dataset.turn && !own.includes(item));
    // A message that was under way when the page was reloaded may stand in the record by now.
    others.filter((item) => item.dataset.turn === String(turn)).forEach((item) => item.remove());
    for (const item of own) item.dataset.turn = turn;
    const later = others.find((item) => Number(item.dataset.turn) > turn);
    const earlier = others.findLast((item) => Number(item.dataset.turn) < turn);
    const stands = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (later && stands(later, this.caller)) later.before(...own);
    else if (earlier && stands(this.caller, earlier)) earlier.after(...own);
  }

  on_text({ text, filler }) {
    // What bridges a wait by ear is told by the activity here.
    if (filler) return;
    this.said += text;
    this.sentences.add(text);
    if (!this.bubble) {
      if (!text.trim()) return;
      text = text.trimStart();
      this.bubble = bubble("agent");
      this.shown = "";
      this.place(this.bubble.item);
    }
    this.rest();
    this.queue += text;
    if (!this.timer) this.type();
  }

  on_tool({ callId, label, state, ok }) {
    this.closeBubble();
    if (state === "started") {
      this.rest();
      const item = this.place(activity(label || words.working));
      const telling = setTimeout(() => announce(label || words.working), WORTH_TELLING_MS);
      this.activities.set(callId, { item, telling, since: performance.now() });
    } else if (this.activities.has(callId)) {
      const { item, telling, since } = this.activities.get(callId);
      clearTimeout(telling);
      // What was not done must not look as if it were being done.
      setTimeout(() => this.finish(callId, item), ok ? ACTIVITY_MS - (performance.now() - since) : 0);
    }
  }

  finish(callId, item) {
    if (this.activities.get(callId)?.item === item) this.activities.delete(callId);
    item.remove();
    if (!this.isDone && !this.bubble && !this.activities.size && this.items.includes(item)) this.put(this.waiting);
  }

  closeActivities() {
    this.activities.forEach(({ item, telling }) => {
      clearTimeout(telling);
      item.remove();
    });
    this.activities.clear();
  }

  on_receipt({ callId, ...receipt }) {
    this.closeBubble();
    // It takes the place of what was being done.
    this.activities.get(callId)?.item.remove();
    this.place(receiptCard(receipt));
    announce([receiptTitle(receipt), ...receiptRows(receipt).map((row) => row.join(": "))].join(". "));
  }

  on_ask(asked) {
    this.asked = asked;
  }

  on_intent({ type }) {
    if (type !== "START_VOICE_SESSION") return;
    const target = new URL("../../browser_voice/", import.meta.url);
    target.searchParams.set("business", visit.businessId);
    const made = element("a", "", words.voice);
    made.href = target.href;
    this.place(element("li", "note", made));
  }

  on_done({ outcome }) {
    this.isDone = true;
    this.flush();
    this.closeBubble();
    this.rest();
    this.closeActivities();
    this.sentences.end();
    lookSoon();
    if (outcome === "interrupted") this.cut();
    if (outcome === "failed" && !this.said.trim()) this.trouble = words.failed;
    if (outcome === "ended") this.place(element("li", "note", words.ended));
    if (this.asked && outcome !== "interrupted") this.ask();
  }

  ask() {
    const question = this.asked.question || words.confirm;
    const flat = (text) => text.replace(/\s+/g, " ").trim();
    const isSaid = flat(this.said).includes(flat(question));
    if (!isSaid) announce(question);
    this.place(questionCard(this.asked, question, isSaid, this.send));
  }

  cut() {
    const last = this.items.findLast((item) => item.classList.contains("agent") && item.isConnected);
    if (last) last.append(element("div", "cut", words.stopped));
    else this.place(element("li", "note", words.stopped));
  }

  rest() {
    this.waiting.remove();
  }

  closeBubble() {
    this.flush();
    this.bubble = null;
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.bubble) return;
    this.shown = (this.shown + this.queue).trimEnd();
    this.queue = "";
    this.bubble.text.replaceChildren(...rendered(this.shown, sites()));
    toEndIfNear();
  }

  // Word by word, and faster the more words wait.
  type() {
    this.timer = null;
    if (!this.queue) return;
    const ready = this.queue.match(/\s*\S+\s*/g) ?? [this.queue];
    const isHurried = this.isHurried || prefersStillness.matches || document.hidden;
    const count = isHurried ? ready.length : Math.ceil(ready.length / 12);
    const now = ready.slice(0, count).join("");
    this.queue = this.queue.slice(now.length);
    this.shown += now;
    this.bubble.text.replaceChildren(...rendered(this.shown, sites(), false));
    toEndIfNear();
    this.timer = setTimeout(() => this.type(), TYPE_MS);
  }

  /** Show at once what has come and comes. */
  hurry() {
    this.isHurried = true;
  }

  /** Return when all words are shown, of an answer that has ended so. */
  async typed(ending) {
    this.ending = ending;
    while (this.queue && this.timer) await pause(TYPE_MS);
  }
}
