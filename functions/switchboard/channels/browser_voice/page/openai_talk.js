// OpenAI Realtime over WebRTC: sound both ways, events over a data channel.

import { RealtimeMessages } from "./openai_messages.js";

const OPENS_WITHIN_MS = 15000;

export class OpenAITalk {
  #shared;
  #onEnd;
  #peer = null;
  #microphone = null;
  #sound = new Audio();
  #channel = null;
  #messages = null;

  constructor({ onEnd, ...shared }) {
    this.#shared = shared;
    this.#onEnd = onEnd;
  }

  async start(opened, { isWritten = false } = {}) {
    const { clientSecret, url } = opened.openai;
    const peer = new RTCPeerConnection();
    this.#peer = peer;
    this.#sound.autoplay = true;
    peer.ontrack = (event) => {
      this.#sound.srcObject = event.streams[0];
    };
    peer.onconnectionstatechange = () => {
      if (["failed", "disconnected"].includes(peer.connectionState)) this.#lost();
    };
    if (isWritten) {
      peer.addTransceiver("audio", { direction: "recvonly" });
    } else {
      const wishes = { echoCancellation: true, noiseSuppression: true };
      this.#microphone = await navigator.mediaDevices.getUserMedia({ audio: wishes });
      for (const track of this.#microphone.getTracks()) peer.addTrack(track, this.#microphone);
    }
    const channel = peer.createDataChannel("oai-events");
    this.#channel = channel;
    this.#messages = new RealtimeMessages({
      ...this.#shared,
      turn: opened.turn,
      send: (event) => channel.readyState === "open" && channel.send(JSON.stringify(event)),
      mute: (isMuted) => {
        this.#sound.muted = isMuted;
      },
      end: () => this.#finish(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    channel.onmessage = (event) => this.#messages.handle(JSON.parse(event.data));
    await peer.setLocalDescription(await peer.createOffer());
    const headers = { Authorization: `Bearer ${clientSecret}`, "Content-Type": "application/sdp" };
    const answer = await fetch(url, { method: "POST", headers, body: peer.localDescription.sdp });
    if (!answer.ok) throw new Error("");
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    await open(channel);
    this.#shared.screen.state("listening");
    this.#messages.greet(opened.greeting, opened.ask);
  }

  async stop() {
    const peer = this.#peer;
    this.#peer = null;
    this.#messages?.leave();
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#channel?.close();
    peer?.close();
    this.#sound.srcObject = null;
  }

  async write(text) {
    await this.#messages.write(text);
  }

  async press(button, question, label) {
    await this.#messages.press(button, question, label);
  }

  async #finish() {
    await this.stop();
    this.#shared.screen.state("ended");
    this.#onEnd();
  }

  async #lost() {
    if (!this.#peer) return;
    await this.stop();
    this.#shared.screen.trouble("lost");
    this.#shared.screen.state("idle");
    this.#onEnd();
  }
}

function open(channel) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("")), OPENS_WITHIN_MS);
    channel.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
