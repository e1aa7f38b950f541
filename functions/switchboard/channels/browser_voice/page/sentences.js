// Cuts words that stream in into sentences, so that the first is spoken while the next is being written.

// A full stop behind an abbreviation, an initial or a number ends no sentence.
const NO_END = /(?:\b(?:a\.m|p\.m|mr|mrs|ms|dr|st|no|nr|z\.b|bzw|ca)|\b\p{L}|\d)\.["')”]*\s$/iu;
const END = /[.!?…]+["')”]*\s|\n/gu;
const LONGEST = 240;

export class Sentences {
  #text = "";

  /** Take a piece; returns the sentences that are complete now, blanks and all. */
  feed(piece) {
    this.#text += piece;
    const found = [];
    let from = 0;
    for (const match of this.#text.matchAll(END)) {
      const upto = match.index + match[0].length;
      const sentence = this.#text.slice(from, upto);
      if (NO_END.test(sentence) && sentence.length < LONGEST) continue;
      found.push(sentence);
      from = upto;
    }
    this.#text = this.#text.slice(from);
    return found;
  }

  /** Return what is left, as at the end of an answer. */
  rest() {
    const rest = this.#text;
    this.#text = "";
    return rest;
  }
}
