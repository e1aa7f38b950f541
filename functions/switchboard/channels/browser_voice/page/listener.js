// The browser's ears: speech recognition that goes on until it is told to stop.

const TROUBLES = {
  "not-allowed": "refused",
  "service-not-allowed": "refused",
  "audio-capture": "microphone",
  network: "recognition",
  "language-not-supported": "recognition",
};
// Recognisers end by themselves after a silence; one that cannot begin must not be asked for ever.
const ATTEMPTS = 5;

export class Listener {
  #Recognition;
  #recognition = null;
  #language = "en";
  #failures = 0;
  #on;

  /** `on` has guess(text), heard(text) and trouble(name). */
  constructor(Recognition, on) {
    this.#Recognition = Recognition;
    this.#on = on;
  }

  get isPossible() {
    return Boolean(this.#Recognition);
  }

  get isListening() {
    return this.#recognition !== null;
  }

  /** Hear a language from here on. A recogniser that runs keeps the one that it was started with, so it is broken off
   * and started anew. */
  listenFor(language) {
    if (language === this.#language) return;
    this.#language = language;
    const recognition = this.#recognition;
    if (!recognition) return;
    recognition.lang = language;
    // Not one of those ends that say that it cannot begin.
    this.#failures -= 1;
    recognition.abort();
  }

  start() {
    if (!this.isPossible || this.#recognition) return;
    const recognition = new this.#Recognition();
    recognition.lang = this.#language;
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.onresult = (event) => this.#read(event);
    recognition.onerror = (event) => this.#fail(event.error);
    recognition.onend = () => this.#again(recognition);
    this.#recognition = recognition;
    this.#failures = 0;
    recognition.start();
  }

  stop() {
    const recognition = this.#recognition;
    this.#recognition = null;
    recognition?.abort();
  }

  #read(event) {
    this.#failures = 0;
    let guess = "";
    for (let i = event.resultIndex; i < event.results.length; i += 1) {
      const result = event.results[i];
      const text = result[0].transcript.trim();
      if (result.isFinal && text) this.#on.heard(text);
      else if (text) guess += `${guess && " "}${text}`;
    }
    if (guess) this.#on.guess(guess);
  }

  #fail(error) {
    const trouble = TROUBLES[error];
    if (!trouble) return;
    this.stop();
    this.#on.trouble(trouble);
  }

  #again(recognition) {
    if (this.#recognition !== recognition) return;
    this.#failures += 1;
    if (this.#failures > ATTEMPTS) {
      this.stop();
      this.#on.trouble("recognition");
      return;
    }
    try {
      recognition.start();
    } catch {
      this.stop();
      this.#on.trouble("recognition");
    }
  }
}
