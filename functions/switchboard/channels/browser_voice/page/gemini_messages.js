// Gemini Live: what its messages mean, and what is sent back. Knows no connection, so that any messages will do.

import { LiveTalk } from "./live_talk.js";

// Transcripts come in pieces beside the conversation; a yes counts once its sentence has come to rest.
const QUIET_MS = 400;
const TRANSCRIPT_MS = 2000;
const POLL_MS = 50;

export class LiveMessages {
  // By which a session goes on after its connection ended; null while it cannot.
  resumption = null;
  #talk;
  #send;
  #player;
  #end;
  #again;
  #sleep;
  #now;
  #isHumansTurn = true;
  // Whether the answer to this turn has begun.
  #isAnswering = false;
  #isGreeting = false;
  #isSpeaking = false;
  #isInterrupted = false;
  #transcript = { text: "", at: 0, isFinished: false };
  #unwanted = new Set();

  /** `send` takes client messages, `player` plays and stops, `end` hangs up, `again` connects anew. */
  constructor({ send, player, end, again, sleep, now, ...shared }) {
    this.#send = send;
    this.#player = player;
    this.#end = end;
    this.#again = again;
    this.#sleep = sleep;
    this.#now = now;
    this.#talk = new LiveTalk({ provider: "gemini", ...shared });
  }

  get turn() {
    return this.#talk.turn;
  }

  /** Have said what is said first; `ask` is the question that it puts again, where it is one. */
  greet(greeting, ask = null) {
    if (ask) this.#talk.asks(ask);
    if (!greeting) return;
    const text = `The caller has just connected. Say exactly this, and no more: ${greeting}`;
    this.#send({ clientContent: { turns: [{ role: "user", parts: [{ text }] }], turnComplete: true } });
    // What is said next answers nobody.
    this.#isHumansTurn = false;
    this.#isGreeting = true;
  }

  /** The talk is left, perhaps in the middle of an answer. */
  leave() {
    this.#talk.leave();
  }

  async write(text) {
    await this.#typed({ text }, text);
  }

  async press(button, question, label) {
    await this.#typed({ button, question }, label);
  }

  async handle(message) {
    if (message.serverContent) await this.#content(message.serverContent);
    if (message.toolCall) await this.#called(message.toolCall.functionCalls ?? []);
    if (message.toolCallCancellation) await this.#takenBack(message.toolCallCancellation.ids ?? []);
    if (message.sessionResumptionUpdate) {
      const { newHandle, resumable } = message.sessionResumptionUpdate;
      this.resumption = resumable && newHandle ? newHandle : null;
    }
    if (message.goAway) this.#again();
  }

  /** Nothing is being played any more. */
  silent() {
    this.#isSpeaking = false;
    this.#rest();
  }

  async #content(content) {
    const talk = this.#talk;
    if (content.inputTranscription?.text || content.inputTranscription?.finished) this.#heard(content.inputTranscription);
    for (const part of content.modelTurn?.parts ?? []) {
      if (!part.inlineData?.data) continue;
      this.#answering();
      this.#isSpeaking = true;
      talk.screen.state("speaking");
      this.#player.play(part.inlineData.data);
    }
    if (content.outputTranscription?.text) {
      this.#answering();
      talk.spoke(content.outputTranscription.text);
    }
    if (content.interrupted) {
      this.#player.stop();
      this.#isSpeaking = false;
      this.#isInterrupted = true;
      talk.unheard();
      talk.screen.state("listening");
    }
    if (content.turnComplete) {
      this.#isHumansTurn = true;
      const interrupted = this.#isInterrupted;
      this.#isInterrupted = false;
      this.#showHeard();
      await talk.report(interrupted);
      this.#rest();
    }
  }

  /** The model answers: a human turn has been taken, even where its transcript is still to come. */
  #answering() {
    if (this.#isHumansTurn) this.#begin();
    // What is broken off from here on is this answer, whatever was of the one before.
    if (!this.#isAnswering) this.#talk.answers();
    this.#isAnswering = true;
    this.#isHumansTurn = false;
    this.#showHeard();
  }

  #begin() {
    this.#transcript = { text: "", at: this.#now(), isFinished: false, isShown: false };
    this.#isHumansTurn = this.#isGreeting = this.#isInterrupted = this.#isAnswering = false;
    this.#player.mute(false);
    if (this.#isSpeaking) this.#talk.unheard();
    for (const note of this.#talk.begin()) {
      this.#send({ clientContent: { turns: [{ role: "user", parts: [{ text: `[${note}]` }] }], turnComplete: false } });
    }
  }

  #heard({ text, finished }) {
    // Speech while the model answers begins the next turn as soon as the model has been told to stop.
    if (this.#isHumansTurn || this.#isInterrupted || this.#isGreeting) this.#begin();
    this.#transcript.text += text ?? "";
    this.#transcript.at = this.#now();
    this.#transcript.isFinished = Boolean(finished);
    this.#talk.hear({ text: this.#transcript.text.trim() });
    this.#talk.screen.guess(this.#transcript.text.trim());
  }

  #showHeard() {
    const { text, isShown } = this.#transcript;
    if (isShown || !text.trim()) return;
    this.#transcript.isShown = true;
    this.#talk.screen.caller(text.trim());
  }

  async #called(calls) {
    const talk = this.#talk;
    if (this.#isHumansTurn || this.#isGreeting) this.#begin();
    talk.screen.activity("working");
    if (talk.asked) await this.#settled();
    this.#showHeard();
    const wanted = calls.filter((call) => !this.#unwanted.has(call.id));
    if (!wanted.length) return;
    const answer = await talk.execute(wanted);
    if (!answer) return;
    if (answer.intents.includes("SUPPRESS_AUDIO")) this.#player.mute(true);
    for (const { toolResponse } of answer.messages) {
      // Taken back while it was carried out: the vendor must not be answered any more.
      const functionResponses = toolResponse.functionResponses.filter(({ id }) => !this.#unwanted.has(id));
      if (functionResponses.length) this.#send({ toolResponse: { functionResponses } });
    }
  }

  async #takenBack(ids) {
    for (const id of ids) this.#unwanted.add(id);
    try {
      const answer = await this.#talk.cancel({ callIds: ids });
      this.#talk.notes.push(...answer.notes);
    } catch (error) {
      this.#talk.screen.trouble(error.message || "offline");
    }
  }

  async #settled() {
    const until = this.#now() + TRANSCRIPT_MS;
    while (this.#now() < until) {
      const { text, at, isFinished } = this.#transcript;
      if (text && (isFinished || this.#now() - at >= QUIET_MS)) return;
      await this.#sleep(POLL_MS);
    }
  }

  async #typed(heard, shown) {
    this.#player.stop();
    this.#begin();
    this.#isSpeaking = false;
    this.#talk.screen.caller(shown);
    this.#talk.hear(heard);
    this.#talk.screen.state("thinking");
    // A yes must be known before the model acts upon it.
    await this.#talk.execute([]);
    if (this.#talk.isOver) return;
    this.#send({ realtimeInput: { text: shown } });
  }

  #rest() {
    if (this.#isSpeaking || !this.#isHumansTurn) return;
    // Ends after what was being said, not in the middle of it.
    if (this.#talk.isEnding) this.#end();
    else this.#talk.screen.state("listening");
  }
}
