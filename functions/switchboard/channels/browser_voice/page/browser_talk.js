// A conversation with the browser's own ears and voice, over the turn loop; no vendor takes part.

import { isEcho } from "./echo.js";
import { Listener } from "./listener.js";
import { Sentences } from "./sentences.js";
import { Speaker } from "./speaker.js";

// Recognisers tell what they heard a while after it was said, so our own last words may come back as late as this.
const ECHO_MS = 1500;

export class BrowserTalk {
  #server;
  #screen;
  #onEnd;
  #refused;
  #language;
  #speaker;
  #listener;
  // The answer that is being given, {turn, isOpen, isOver, isHidden}, and to what: {isWritten, caption}.
  #current = null;
  #interrupting = Promise.resolve();
  #isEnding = false;
  #isOn = false;
  #lastWords = "";
  #silentSince = 0;

  constructor({ server, screen, language, refused, onEnd, browser = globalThis }) {
    this.#server = server;
    this.#screen = screen;
    this.#language = language;
    this.#onEnd = onEnd;
    this.#refused = refused;
    const Recognition = browser.SpeechRecognition ?? browser.webkitSpeechRecognition;
    this.#speaker = new Speaker(browser.speechSynthesis, browser.SpeechSynthesisUtterance, {
      onStart: () => this.#screen.state("speaking"),
      onSilence: () => this.#silent(),
    });
    this.#listener = new Listener(Recognition, {
      guess: (text) => this.#guessed(text),
      heard: (text) => this.#heard(text),
      trouble: (name) => this.#deaf(name),
    });
  }

  get canListen() {
    return this.#listener.isPossible;
  }

  get canSpeak() {
    return this.#speaker.isPossible;
  }

  /** Greet and listen; `isWritten` leaves the microphone alone. */
  async start(opened, { isWritten = false } = {}) {
    this.#isOn = true;
    this.#isEnding = false;
    this.#speakIn(opened.language ?? this.#language);
    if (!isWritten) this.#listener.start();
    this.#rest();
    if (!opened.greeting) return;
    this.#speaker.begin();
    this.#screen.agent(opened.greeting);
    this.#screen.closeAgent();
    if (opened.ask) this.#screen.ask(opened.ask);
    if (isWritten) return;
    // A question that is asked again may be broken off as any: no yes counts to what was not heard to its end.
    if (opened.ask) this.#current = { turn: opened.turn, isOpen: false, isOver: false, isHidden: false };
    this.#speaker.say(opened.greeting);
  }

  async stop() {
    this.#isOn = false;
    this.#listener.stop();
    await this.#interrupt();
  }

  async write(text) {
    await this.#take({ text }, text, { isWritten: true });
  }

  async press(button, question, label) {
    await this.#take({ button, question }, label);
  }

  #guessed(text) {
    if (this.#isOurOwn(text)) return;
    if (this.#speaker.isSpeaking) {
      this.#interrupt();
      this.#rest();
    }
    this.#screen.guess(text);
  }

  #heard(text) {
    if (this.#isOurOwn(text)) return;
    this.#take({ text }, text);
  }

  #isOurOwn(text) {
    const isLate = performance.now() - this.#silentSince < ECHO_MS;
    if (!this.#speaker.isSpeaking && !isLate) return false;
    return isEcho(text, this.#speaker.isSpeaking ? this.#speaker.words : this.#lastWords);
  }

  #deaf(name) {
    this.#screen.trouble(name);
    if (!this.#current?.isOpen && !this.#speaker.isSpeaking) this.#rest();
  }

  async #take(said, shown, { isWritten = false } = {}) {
    this.#interrupt();
    this.#screen.trouble("");
    const caption = this.#screen.caller(shown);
    this.#screen.ask(null);
    const current = { turn: 0, isOpen: true, isOver: false, isHidden: false, isWritten, caption };
    this.#current = current;
    this.#screen.state("thinking");
    // What was heard of the last answer must be known before this one is thought of.
    await this.#interrupting;
    if (!current.isOver) await this.#answer(said, current);
  }

  async #answer(said, current) {
    const sentences = new Sentences();
    this.#speaker.begin();
    try {
      for await (const { name, data } of this.#server.turn(said)) {
        if (name === "turn") current.turn = data.turn;
        // Also of an answer that is not listened to any more: the caller goes on in it.
        if (name === "language") this.#turnTo(data.language, current, sentences);
        if (!current.isOver) this.#show(name, data, current, sentences);
      }
      if (!current.isOver) this.#say(sentences.rest());
    } catch (error) {
      current.isOpen = false;
      if (!current.isOver && (await this.#explain(error, said, current))) return;
    }
    current.isOpen = false;
    if (current.isOver) return;
    this.#screen.activity("");
    this.#screen.closeAgent();
    if (!this.#speaker.isSpeaking) this.#silent();
  }

  /** Say why there is no answer; what was written and not taken goes back. Tells whether the visit is over. */
  async #explain(error, said, current) {
    const isTaken = current.turn > 0;
    if (!isTaken && current.isWritten) current.caption.remove();
    return this.#refused(error, isTaken || !(current.isWritten || error.status === 401) ? null : said);
  }

  #show(name, data, current, sentences) {
    if (name === "text") {
      if (!current.isHidden) this.#screen.agent(data.text);
      if (data.audible === false) sentences.rest();
      else for (const sentence of sentences.feed(data.text)) this.#say(sentence);
    } else if (name === "tool") {
      this.#screen.activity(data.state === "started" ? data.label : "");
    } else if (name === "receipt") {
      this.#screen.receipt(data);
    } else if (name === "ask") {
      this.#screen.ask(data);
    } else if (name === "intent") {
      current.isHidden ||= data.type === "SUPPRESS_TRANSCRIPT";
    } else if (name === "done") {
      this.#isEnding = data.outcome === "ended" || data.outcome === "transferred";
    }
  }

  /** What comes behind this is said in a language, and what was said before it in another is said to its end. */
  #turnTo(language, current, sentences) {
    if (!current.isOver) this.#say(sentences.rest());
    this.#speakIn(language);
  }

  /** Speak and listen in a language from here on: the caller has shown it, or another agent has another. */
  #speakIn(language) {
    this.#speaker.speakLanguage(language);
    this.#listener.listenFor(language);
  }

  #say(sentence) {
    if (sentence.trim()) this.#speaker.say(sentence);
  }

  /** Stop speaking at once, and tell the switchboard how much was heard. */
  #interrupt() {
    const current = this.#current;
    if (!current || current.isOver || (!current.isOpen && !this.#speaker.isSpeaking)) {
      this.#speaker.stop();
      return this.#interrupting;
    }
    current.isOver = true;
    const heard = this.#speaker.stop();
    this.#screen.cut(heard);
    this.#screen.activity("");
    // Before its number is known nothing was said, and the next turn interrupts it by coming.
    if (current.turn) {
      this.#interrupting = this.#server
        .post("interrupt", { turn: current.turn, heard }, { keepalive: true })
        .catch(() => {});
    }
    return this.#interrupting;
  }

  #silent() {
    this.#lastWords = this.#speaker.words;
    this.#silentSince = performance.now();
    if (this.#current?.isOpen) {
      this.#screen.state("thinking");
    } else if (this.#isEnding) {
      this.#isOn = false;
      this.#listener.stop();
      this.#screen.state("ended");
      this.#onEnd();
    } else {
      this.#rest();
    }
  }

  #rest() {
    if (!this.#isOn) return;
    this.#screen.state(this.#listener.isListening ? "listening" : "waiting");
  }
}
