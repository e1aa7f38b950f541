// What the page shows. Everything from outside is text, never markup.

import { languageOf, wordsFor } from "./words.js";

const MOST_CAPTIONS = 200;

// Words and receipts in the order in which they came: a receipt is written down at the end of its turn, and came before
// the words that tell of it.
function told(transcript, receipts) {
  const entries = transcript.map((said) => ({ said }));
  for (const receipt of receipts) {
    const last = entries.findLastIndex(({ said }) => said?.role === "agent" && said.turn === receipt.turn);
    entries.splice(last < 0 ? entries.length : last, 0, { receipt });
  }
  return entries;
}

export class Screen {
  words = wordsFor("en");
  #document;
  #parts;
  #agent = null;
  #guess = null;
  #asked = null;
  // The last answer, until somebody speaks after it.
  #answer = null;

  constructor(document) {
    this.#document = document;
    const names = ["business", "state", "captions", "activity", "question", "asked", "yes", "no", "trouble"];
    names.push("microphone", "press", "permission", "words-label", "words", "send", "voices", "provider");
    names.push("provider-label", "anew");
    this.#parts = Object.fromEntries(names.map((name) => [name, document.getElementById(name)]));
    this.state("idle");
    // Whatever appears below takes room from the captions, and must not hide the last of them.
    new ResizeObserver(() => this.#scroll()).observe(this.#parts.captions);
  }

  get question() {
    return this.#asked;
  }

  part(name) {
    return this.#parts[name];
  }

  /** Speak a language, and name the business. */
  address(language, name) {
    const parts = this.#parts;
    this.words = wordsFor(language);
    this.#document.documentElement.lang = languageOf(language);
    parts.business.textContent = this.words.title.replace("{name}", name || this.words.us);
    this.#document.title = parts.business.textContent;
    parts["words-label"].textContent = this.words.write;
    parts.send.textContent = this.words.send;
    parts.yes.textContent = this.words.yes;
    parts.no.textContent = this.words.no;
    parts.anew.textContent = this.words.anew;
    parts["provider-label"].textContent = this.words.voice;
    parts.captions.setAttribute("aria-label", this.words.conversation);
    this.state(this.#document.body.dataset.state);
    this.talking(false);
  }

  /** Say that no language model is connected and how one is, and offer questions that work; `ask` is given one. */
  demo({ text, connect, lines, ask: label, examples }, ask) {
    const [aside, group] = ["demo", "examples"].map((id) => this.#document.getElementById(id));
    const made = (name, content) => Object.assign(this.#document.createElement(name), { textContent: content });
    const [told, code, title] = [made("p", text), made("pre", lines.join("\n")), made("p", label)];
    [told.id, title.id] = ["demo-text", "examples-label"];
    aside.replaceChildren(told, made("p", connect), code);
    group.setAttribute("aria-labelledby", title.id);
    const buttons = examples.browser_voice.map((question) => {
      const button = Object.assign(made("button", question), { type: "button", className: "quiet" });
      button.addEventListener("click", () => ask(question));
      return button;
    });
    group.replaceChildren(title, ...buttons);
    aside.hidden = group.hidden = false;
  }

  state(name) {
    this.#document.body.dataset.state = name;
    this.#parts.state.textContent = this.words.states[name];
    // What pressing it does now: of a button that is also called pressed, nobody knew which of the two was meant.
    const hasTalk = this.#parts.captions.childElementCount > 0;
    this.#parts.press.textContent = this.words.press[name === "idle" && hasTalk ? "again" : name];
  }

  talking(isOn) {
    this.#parts.microphone.toggleAttribute("data-on", isOn);
    this.#parts.provider.disabled = isOn;
  }

  /** Show a talk as it is recorded, in place of what is shown; `greeting` came before, where nothing else says so. */
  recall({ transcript, receipts, ask }, greeting = "") {
    this.#parts.captions.replaceChildren();
    this.#agent = this.#guess = this.#answer = null;
    const isGreeted = transcript[0]?.role === "agent";
    if (greeting && !isGreeted) this.agent(greeting);
    let turn = null;
    for (const { said, receipt } of told(transcript, receipts)) {
      if (receipt) this.receipt(receipt);
      else if (said.role === "caller") this.caller(said.button ? this.words[said.button] : said.text);
      else {
        // What was said in pieces is one caption, as it was then.
        if (said.turn !== turn) this.closeAgent();
        this.agent(said.text);
        if (said.unheard) {
          this.agent(said.unheard);
          this.cut(said.text);
        } else if (said.interrupted) this.#note(this.words.interrupted);
        else if (said.cut) this.#note(this.words.notKept);
      }
      turn = said?.turn ?? turn;
    }
    this.closeAgent();
    this.ask(ask);
    this.state(this.#document.body.dataset.state);
    this.#scroll();
  }

  #note(text) {
    const note = Object.assign(this.#document.createElement("span"), { className: "note", textContent: text });
    this.#agent.parentElement.append(note);
    this.closeAgent();
  }

  /** Show what the caller seems to be saying. */
  guess(text) {
    this.#guess ??= this.#caption("caller guess", this.words.you);
    this.#guess.textContent = text;
    this.#scroll();
  }

  /** Show what the caller has said; returns the caption. */
  caller(text) {
    this.closeAgent();
    this.#answer = null;
    this.#guess ??= this.#caption("caller", this.words.you);
    const caption = this.#guess.parentElement;
    caption.className = "caller";
    this.#guess.textContent = text;
    this.#guess = null;
    this.#scroll();
    return caption;
  }

  agent(text) {
    this.#agent ??= this.#caption("agent", this.words.agent);
    this.#agent.textContent += text;
    this.#answer = this.#agent;
    this.#scroll();
  }

  closeAgent() {
    this.#agent = null;
  }

  /** Mark what of the last answer was not heard; null where nobody knows how much that is. */
  cut(heard) {
    const last = this.#answer;
    this.closeAgent();
    // Voices tell the last word that they begin, and no mark behind it.
    if (!last || heard === null || !/[\p{L}\p{N}]/u.test(last.textContent.slice(heard.length))) return;
    const unheard = this.#document.createElement("span");
    unheard.className = "unheard";
    unheard.textContent = last.textContent.slice(heard.length);
    last.textContent = last.textContent.slice(0, heard.length);
    last.append(unheard);
  }

  activity(label) {
    this.#parts.activity.textContent = label === "working" ? this.words.states.thinking : label;
  }

  ask(asked) {
    this.#asked = asked;
    this.#parts.asked.textContent = asked?.question ?? "";
    this.#parts.question.hidden = !asked;
  }

  receipt({ what, for: whom, when }) {
    this.closeAgent();
    const moment = when ? new Date(when) : null;
    const form = { dateStyle: "full", timeStyle: "short" };
    // The business's own local time, whatever the caller's clock says: its digits are shown as they stand.
    const local = moment && !Number.isNaN(+moment) ? new Date(when.slice(0, 16)) : null;
    const shown = local ? local.toLocaleString(this.#document.documentElement.lang, form) : when;
    this.#caption("receipt", `✓ ${this.words.done}`).textContent = [what, shown, whom].filter(Boolean).join(" · ");
    this.#scroll();
  }

  /** Say what is wrong: one of the page's own troubles by name, or a sentence; empty when nothing is. */
  trouble(what) {
    this.#parts.trouble.textContent = this.words.troubles[what] ?? what;
  }

  #caption(kind, who) {
    const [item, name, text] = ["li", "span", "span"].map((tag) => this.#document.createElement(tag));
    item.className = kind;
    name.className = "who";
    name.textContent = who;
    text.className = "text";
    item.append(name, text);
    this.#parts.captions.append(item);
    while (this.#parts.captions.children.length > MOST_CAPTIONS) this.#parts.captions.firstChild.remove();
    return text;
  }

  #scroll() {
    this.#parts.captions.scrollTop = this.#parts.captions.scrollHeight;
  }
}
