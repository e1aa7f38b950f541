// Whether a recogniser heard nobody but ourselves: without headphones the microphone hears the loudspeaker.

function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Tell whether what was heard is a run of words out of what is being spoken. */
export function isEcho(heard, spoken) {
  const [some, all] = [words(heard), words(spoken)];
  if (!some.length) return true;
  return ` ${all.join(" ")} `.includes(` ${some.join(" ")} `);
}
