// Plays pieces of sound one after the other without gaps, and stops at once.

import { decode } from "./pcm.js";

export class Player {
  #context;
  #gain;
  #sources = new Set();
  #endsAt = 0;
  #onSilence;

  constructor(context, onSilence) {
    this.#context = context;
    this.#onSilence = onSilence;
    this.#gain = context.createGain();
    this.#gain.connect(context.destination);
  }

  play(data) {
    const samples = decode(data);
    if (!samples.length) return;
    const buffer = this.#context.createBuffer(1, samples.length, this.#context.sampleRate);
    buffer.copyToChannel(samples, 0);
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#gain);
    this.#endsAt = Math.max(this.#endsAt, this.#context.currentTime);
    source.start(this.#endsAt);
    this.#endsAt += buffer.duration;
    this.#sources.add(source);
    source.onended = () => {
      this.#sources.delete(source);
      if (!this.#sources.size) this.#onSilence();
    };
  }

  stop() {
    for (const source of this.#sources) {
      source.onended = null;
      source.stop();
    }
    this.#sources.clear();
    this.#endsAt = 0;
  }

  mute(isMuted) {
    this.#gain.gain.value = isMuted ? 0 : 1;
  }
}
