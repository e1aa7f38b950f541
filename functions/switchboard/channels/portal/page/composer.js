// The field in which a message is written: how long it may be, and what of it comes back when it was not taken.

import { $ } from "./conversation.js";
import { words } from "./words.js";

// As the server has it, which counts characters of Unicode; an emoji may be one of them and two of a script's.
const LONGEST = Number($("message").dataset.longest);
// From here on the length is shown.
const NEAR = 0.9 * LONGEST;

const lengthOf = (text) => [...text].length;
const number = (count) => count.toLocaleString(document.documentElement.lang || "en");

/** Fit the field to what is written, and say how long that is where it matters; tells whether it can be sent. */
export function measure() {
  const field = $("message");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
  const length = lengthOf(field.value.trim());
  const isTooLong = length > LONGEST;
  const values = { length: number(length), longest: number(LONGEST), over: number(length - LONGEST) };
  const text = length < NEAR ? "" : isTooLong ? words.tooLong : words.length;
  $("length").textContent = text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  $("length").classList.toggle("over", isTooLong);
  // Told once when it becomes too long, and not with every letter.
  if (isTooLong && field.getAttribute("aria-invalid") !== "true") warn();
  field.setAttribute("aria-invalid", String(isTooLong));
  return !isTooLong;
}

function warn() {
  $("urgent").textContent = "";
  $("urgent").textContent = $("length").textContent;
}

/** Put words back that were not taken, before what has been written since. */
export function giveBack(text) {
  const field = $("message");
  if (text && field.value.trim() !== text) field.value = [text, field.value].filter((part) => part.trim()).join("\n");
  measure();
}

/** Have `send` called with what is written; it tells whether it took it. */
export function compose(send) {
  $("message").addEventListener("input", measure);
  $("message").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    $("composer").requestSubmit();
  });
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("message").value.trim();
    if (!text) return;
    if (!measure()) {
      warn();
      return;
    }
    if (!send(text)) return;
    $("message").value = "";
    measure();
  });
}
