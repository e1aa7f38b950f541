// The field in which somebody writes: how long that may be, and what of it comes back when it was not taken.

// From this share of what can be sent on, the length is shown.
const NEAR = 0.9;

export class Field {
  #field;
  #length;
  #alert;
  #screen;
  #longest;

  constructor(document, screen) {
    this.#screen = screen;
    [this.#field, this.#length, this.#alert] = ["words", "length", "too-long"].map((id) => document.getElementById(id));
    this.#longest = Number(this.#field.dataset.longest);
    this.#field.addEventListener("input", () => this.measure());
  }

  get isEmpty() {
    return !this.#field.value.trim();
  }

  /** Return what is written and can be sent, and empty the field; what is too long stays, and is said to be. */
  take() {
    const text = this.#field.value.trim();
    if (!this.measure()) {
      this.#warn();
      return "";
    }
    this.#field.value = "";
    this.measure();
    return text;
  }

  /** Put words back that were not taken, before what has been written since. */
  giveBack(text) {
    if (text && this.#field.value.trim() !== text) {
      this.#field.value = [text, this.#field.value].filter((part) => part.trim()).join(" ");
    }
    this.measure();
  }

  /** Say how long it is where that matters; tells whether it can be sent. */
  measure() {
    // As the server counts: an emoji may be one character of Unicode, and two of a script's.
    const length = [...this.#field.value.trim()].length;
    const isTooLong = length > this.#longest;
    const { words } = this.#screen;
    const number = (count) => count.toLocaleString(this.#field.ownerDocument.documentElement.lang);
    const values = { length: number(length), longest: number(this.#longest), over: number(length - this.#longest) };
    const text = length < NEAR * this.#longest ? "" : isTooLong ? words.tooLong : words.length;
    this.#length.textContent = text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    this.#length.classList.toggle("over", isTooLong);
    // Told once when it becomes too long, and not with every letter.
    if (isTooLong && this.#field.getAttribute("aria-invalid") !== "true") this.#warn();
    this.#field.setAttribute("aria-invalid", String(isTooLong));
    return !isTooLong;
  }

  #warn() {
    this.#alert.textContent = "";
    this.#alert.textContent = this.#length.textContent;
  }
}
