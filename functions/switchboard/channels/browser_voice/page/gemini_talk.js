// Gemini Live over a WebSocket: 16 kHz samples go, 24 kHz samples come.

import { LiveMessages } from "./gemini_messages.js";
import { encode } from "./pcm.js";
import { Player } from "./player.js";

const OPENS_WITHIN_MS = 15000;
const HEARS_HZ = 16000;
const SPEAKS_HZ = 24000;
const RECONNECTS = 5;

export class GeminiTalk {
  #shared;
  #onEnd;
  #gemini = null;
  #socket = null;
  #messages = null;
  #player = null;
  #ears = null;
  #voice = null;
  #microphone = null;
  #reconnects = 0;
  #isOn = false;

  constructor({ onEnd, ...shared }) {
    this.#shared = shared;
    this.#onEnd = onEnd;
  }

  async start(opened, { isWritten = false } = {}) {
    this.#gemini = opened.gemini;
    this.#isOn = true;
    this.#voice = new AudioContext({ sampleRate: SPEAKS_HZ });
    this.#player = new Player(this.#voice, () => this.#messages.silent());
    this.#messages = new LiveMessages({
      ...this.#shared,
      turn: opened.turn,
      send: (message) => this.#send(message),
      player: this.#player,
      end: () => this.#finish(),
      again: () => this.#again(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      now: () => performance.now(),
    });
    if (!isWritten) {
      const wishes = { echoCancellation: true, noiseSuppression: true, channelCount: 1 };
      this.#microphone = await navigator.mediaDevices.getUserMedia({ audio: wishes });
    }
    await this.#connect();
    if (!isWritten) await this.#listen();
    this.#shared.screen.state("listening");
    this.#messages.greet(opened.greeting, opened.ask);
  }

  async stop() {
    this.#isOn = false;
    this.#messages?.leave();
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#player?.stop();
    this.#socket?.close();
    this.#socket = null;
    await Promise.all([this.#ears?.close(), this.#voice?.close()]);
    this.#ears = this.#voice = null;
  }

  async write(text) {
    await this.#messages.write(text);
  }

  async press(button, question, label) {
    await this.#messages.press(button, question, label);
  }

  async #listen() {
    this.#ears = new AudioContext({ sampleRate: HEARS_HZ });
    await this.#ears.audioWorklet.addModule(new URL("microphone_worklet.js", import.meta.url));
    const node = new AudioWorkletNode(this.#ears, "microphone", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => {
      this.#send({ realtimeInput: { audio: { data: encode(data), mimeType: `audio/pcm;rate=${HEARS_HZ}` } } });
    };
    this.#ears.createMediaStreamSource(this.#microphone).connect(node);
  }

  async #connect() {
    const { url, token, setup } = this.#gemini;
    const socket = new WebSocket(`${url}?access_token=${encodeURIComponent(token)}`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("")), OPENS_WITHIN_MS);
      socket.onopen = () => {
        const handle = this.#messages.resumption;
        socket.send(JSON.stringify({ setup: { ...setup, sessionResumption: handle ? { handle } : {} } }));
      };
      socket.onmessage = ({ data }) => {
        // Frames are JSON, also where they are binary.
        const message = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
        if (message.setupComplete) {
          clearTimeout(timer);
          resolve();
        }
        this.#messages.handle(message);
      };
      socket.onclose = () => {
        clearTimeout(timer);
        reject(new Error(""));
        if (this.#socket === socket) this.#again();
      };
    });
    await ready;
  }

  async #again() {
    if (!this.#isOn) return;
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#reconnects += 1;
    try {
      if (!this.#messages.resumption || this.#reconnects > RECONNECTS) throw new Error("");
      await this.#connect();
    } catch {
      if (!this.#isOn) return;
      await this.stop();
      this.#shared.screen.trouble("lost");
      this.#shared.screen.state("idle");
      this.#onEnd();
    }
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #finish() {
    await this.stop();
    this.#shared.screen.state("ended");
    this.#onEnd();
  }
}
