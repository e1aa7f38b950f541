// A browser's ears and voice that do what a test tells them, and nothing by themselves.

class FakeUtterance {
  constructor(text) {
    this.text = text;
  }
}

const voice = {
  queue: [],
  spoken: [],
  get now() {
    return this.queue[0]?.text ?? null;
  },
  speak(utterance) {
    this.queue.push(utterance);
    this.spoken.push(utterance.text);
    if (this.queue.length === 1) utterance.onstart?.({});
  },
  cancel() {
    for (const utterance of this.queue.splice(0)) utterance.onerror?.({ error: "interrupted" });
  },
  // The word that begins there is being spoken.
  reach(charIndex) {
    this.queue[0].onboundary?.({ name: "word", charIndex });
  },
  finish() {
    const utterance = this.queue.shift();
    utterance.onend?.({});
    this.queue[0]?.onstart?.({});
  },
};

const ears = {
  open: null,
  starts: 0,
  // What was said to a recogniser after it was started changes nothing of what it hears.
  hears: "",
  tell(text, isFinal) {
    const result = Object.assign([{ transcript: text }], { isFinal });
    this.open.onresult({ resultIndex: 0, results: [result] });
  },
  guess(text) {
    this.tell(text, false);
  },
  say(text) {
    this.tell(text, true);
  },
  fail(error) {
    this.open.onerror({ error });
  },
};

class FakeRecognition {
  start() {
    ears.open = this;
    ears.starts += 1;
    ears.hears = this.lang;
  }

  abort() {
    if (ears.open === this) ears.open = null;
    queueMicrotask(() => this.onend?.({}));
  }
}

const define = (name, value) => Object.defineProperty(window, name, { value, configurable: true, writable: true });
define("speechSynthesis", voice);
define("SpeechSynthesisUtterance", FakeUtterance);
define("SpeechRecognition", FakeRecognition);
define("webkitSpeechRecognition", FakeRecognition);
define("voice", voice);
define("ears", ears);
