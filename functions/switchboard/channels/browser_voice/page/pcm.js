// Sound as Gemini Live takes and gives it: 16-bit little-endian samples in base64.

/** Return samples between -1 and 1 as base64. */
export function encode(samples) {
  const bytes = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, i) => {
    const within = Math.max(-1, Math.min(1, sample));
    bytes.setInt16(i * 2, Math.round(within < 0 ? within * 32768 : within * 32767), true);
  });
  let text = "";
  for (const byte of new Uint8Array(bytes.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Return base64 as samples between -1 and 1. */
export function decode(data) {
  const text = atob(data);
  const bytes = new DataView(Uint8Array.from(text, (character) => character.charCodeAt(0)).buffer);
  const samples = new Float32Array(bytes.byteLength >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = bytes.getInt16(i * 2, true) / 32768;
  return samples;
}
