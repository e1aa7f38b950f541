// OpenAI Realtime: what its events mean, and what is sent back. Knows no connection, so that any events will do.
//
// Calls are executed when the response that asks for them has completed, never earlier: the end of their arguments is
// also told for responses that were broken off.

import { LiveTalk } from "./live_talk.js";

// What was said is written down beside the conversation, and may come after the call that it agrees to.
const TRANSCRIPT_MS = 2000;

function message(role, text) {
  return {
    type: "conversation.item.create",
    item: { type: "message", role, content: [{ type: "input_text", text }] },
  };
}

export class RealtimeMessages {
  #talk;
  #send;
  #end;
  #mute;
  #sleep;
  #isActive = false;
  #isPlaying = false;
  #isOwed = false;
  #question = null;
  #isInterrupted = false;
  // The item of this turn's speech, and the promise of its transcript.
  #item = "";
  #transcript = null;

  /** `send` takes client events, `mute` silences the answer, `end` hangs up, `sleep` waits for milliseconds. */
  constructor({ send, end, mute, sleep, ...shared }) {
    this.#send = send;
    this.#end = end;
    this.#mute = mute;
    this.#sleep = sleep;
    this.#talk = new LiveTalk({ provider: "openai", ...shared });
  }

  /** Have said what is said first; `ask` is the question that it puts again, where it is one. */
  greet(greeting, ask = null) {
    if (ask) this.#talk.asks(ask);
    if (!greeting) return;
    this.#send({ type: "response.create", response: { instructions: `Say exactly this, and no more: ${greeting}` } });
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

  async handle(event) {
    const [talk, screen] = [this.#talk, this.#talk.screen];
    switch (event.type) {
      case "input_audio_buffer.speech_started":
        screen.state("listening");
        return;
      case "input_audio_buffer.committed":
        this.#begin();
        this.#item = event.item_id;
        this.#transcript = Promise.withResolvers ? Promise.withResolvers() : deferred();
        screen.state("thinking");
        return;
      case "conversation.item.input_audio_transcription.completed":
        this.#written(event);
        return;
      case "conversation.item.input_audio_transcription.failed":
        if (event.item_id === this.#item) this.#transcript.resolve();
        return;
      case "response.created":
        this.#isActive = true;
        this.#isInterrupted = false;
        talk.answers();
        return;
      case "response.output_audio_transcript.delta":
      case "response.output_text.delta":
        talk.spoke(event.delta);
        return;
      case "output_audio_buffer.started":
        this.#isPlaying = true;
        screen.state("speaking");
        return;
      case "output_audio_buffer.stopped":
      case "output_audio_buffer.cleared":
        this.#isPlaying = false;
        if (event.type.endsWith("cleared")) {
          this.#isInterrupted = true;
          talk.unheard();
        }
        this.#rest();
        return;
      case "response.done":
        await this.#responded(event.response);
        return;
      case "error":
        // Asked for too early: the answer is owed until the one under way has ended.
        if (event.error.code === "conversation_already_has_active_response") this.#isOwed = true;
        else screen.trouble(event.error.message || "unanswered");
    }
  }

  #written({ item_id: item, transcript }) {
    const text = transcript.trim();
    if (text) this.#talk.screen.caller(text);
    if (item !== this.#item) return;
    if (text) this.#talk.hear({ text });
    this.#transcript.resolve();
  }

  async #responded({ status, output = [] }) {
    this.#isActive = false;
    const calls = output.filter((item) => item.type === "function_call");
    if (calls.length) await this.#called(calls, status);
    else await this.#talk.report(this.#isInterrupted || status === "cancelled");
    if (this.#isOwed && !this.#isActive) this.#respond();
    else this.#rest();
  }

  async #called(calls, status) {
    const talk = this.#talk;
    const turn = talk.turn;
    talk.screen.activity("working");
    if (talk.asked && this.#transcript) await Promise.race([this.#transcript.promise, this.#sleep(TRANSCRIPT_MS)]);
    const answer = await talk.execute(calls, { status });
    if (!answer) return;
    for (const each of answer.messages) this.#send(each);
    if (answer.intents.includes("SUPPRESS_AUDIO")) this.#mute(true);
    // Once the human has gone on speaking, the answer to that is on its way already.
    if (status === "completed" && !answer.over && talk.turn === turn) this.#respond(answer.asked?.question);
  }

  async #typed(heard, shown) {
    if (this.#isActive || this.#isPlaying) this.#talk.unheard();
    if (this.#isActive) this.#send({ type: "response.cancel" });
    if (this.#isPlaying) this.#send({ type: "output_audio_buffer.clear" });
    this.#begin();
    this.#transcript = null;
    this.#talk.screen.caller(shown);
    this.#talk.hear(heard);
    // A yes must be known before the model acts upon it.
    await this.#talk.execute([]);
    if (this.#talk.isOver) return;
    this.#send(message("user", shown));
    this.#respond();
  }

  #begin() {
    this.#question = null;
    this.#mute(false);
    for (const note of this.#talk.begin()) this.#send(message("system", note));
  }

  /** Have the model speak on, or ask in exactly these words. */
  #respond(question = this.#question) {
    this.#isOwed = this.#isActive;
    this.#question = this.#isActive ? question : null;
    if (this.#isActive) return;
    this.#isActive = true;
    // Without tools: what is said after a question would be said last.
    const asking = question && { instructions: `Say exactly this, and no more: ${question}`, tool_choice: "none" };
    this.#send({ type: "response.create", ...(asking ? { response: asking } : {}) });
  }

  #rest() {
    if (this.#isActive || this.#isPlaying) return;
    // Ends after what was being said, not in the middle of it.
    if (this.#talk.isEnding) this.#end();
    else this.#talk.screen.state("listening");
  }
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}
