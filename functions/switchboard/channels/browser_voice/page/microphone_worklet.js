// Passes the microphone's samples on, 64 ms at a time.

const AT_ONCE = 1024;

class Microphone extends AudioWorkletProcessor {
  #samples = new Float32Array(AT_ONCE);
  #count = 0;

  process([input]) {
    for (const sample of input[0] ?? []) {
      this.#samples[this.#count] = sample;
      this.#count += 1;
      if (this.#count === AT_ONCE) {
        this.port.postMessage(this.#samples.slice());
        this.#count = 0;
      }
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
