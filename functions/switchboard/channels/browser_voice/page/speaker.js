// The browser's voice: sentences one after the other, and how much of them was heard.

export class Speaker {
  #synthesis;
  #Utterance;
  #language = "en";
  // What was said since `begin`, as {text, heard, utterance}: utterances that nobody holds are forgotten by browsers
  // in mid-sentence.
  #sentences = [];
  #waiting = 0;
  #onStart;
  #onSilence;

  constructor(synthesis, Utterance, { onStart, onSilence }) {
    this.#synthesis = synthesis;
    this.#Utterance = Utterance;
    this.#onStart = onStart;
    this.#onSilence = onSilence;
  }

  get isPossible() {
    return Boolean(this.#synthesis && this.#Utterance);
  }

  get isSpeaking() {
    return this.#waiting > 0;
  }

  /** Everything that was or is to be said since `begin`. */
  get words() {
    return this.#sentences.map((sentence) => sentence.text).join("");
  }

  speakLanguage(language) {
    this.#language = language;
  }

  /** Start an answer. */
  begin() {
    this.#sentences = [];
  }

  say(text) {
    const sentence = { text, heard: 0, utterance: null };
    this.#sentences.push(sentence);
    if (!this.isPossible || !text.trim()) {
      sentence.heard = text.length;
      return;
    }
    const utterance = new this.#Utterance(text.trim());
    const offset = text.length - text.trimStart().length;
    utterance.lang = this.#language;
    sentence.utterance = utterance;
    this.#waiting += 1;
    utterance.onstart = () => this.#onStart();
    // A word that has begun was heard; voices that tell no words are believed by the sentence.
    utterance.onboundary = (event) => {
      if (event.name && event.name !== "word") return;
      const rest = utterance.text.slice(event.charIndex);
      const length = event.charLength || (rest.match(/^\S+/) ?? [""])[0].length;
      const heard = Math.max(sentence.heard, offset + event.charIndex + length);
      // No voice tells the mark behind the last word.
      sentence.heard = /[\p{L}\p{N}]/u.test(text.slice(heard)) ? heard : text.length;
    };
    utterance.onend = () => this.#finish(sentence, text.length);
    utterance.onerror = () => this.#finish(sentence, sentence.heard);
    this.#synthesis.speak(utterance);
  }

  /** Be silent at once; returns what was heard of the answer. */
  stop() {
    const heard = this.heard;
    const unfinished = this.#sentences.filter((sentence) => sentence.utterance);
    for (const sentence of unfinished) {
      sentence.utterance.onend = sentence.utterance.onerror = sentence.utterance.onstart = null;
      sentence.utterance.onboundary = null;
      sentence.utterance = null;
    }
    this.#waiting = 0;
    this.#synthesis?.cancel();
    return heard;
  }

  /** What was heard of the answer so far. */
  get heard() {
    let heard = "";
    for (const sentence of this.#sentences) {
      heard += sentence.text.slice(0, sentence.heard);
      if (sentence.heard < sentence.text.length) break;
    }
    return heard;
  }

  #finish(sentence, heard) {
    if (!sentence.utterance) return;
    sentence.utterance = null;
    sentence.heard = heard;
    this.#waiting -= 1;
    if (!this.#waiting) this.#onSilence();
  }
}
