// What conversations with vendors' live models have in common: human turns, what was heard in them, and calls.

export class LiveTalk {
  turn;
  screen;
  // The question that waits for a yes, and what the model must be told with the next turn.
  asked = null;
  notes = [];
  isEnding = false;
  #provider;
  #execute;
  #refused;
  // Whether the switchboard lets the talk go on no more.
  isOver = false;
  #unsent = null;
  #said = "";
  // What the model has said in the turn before, as far as it was heard: what a yes answers.
  #told = "";
  #asked = "";
  // Words are made faster than they are spoken: all may be known while most were not played.
  #isCut = false;
  #isHidden = false;

  /**
   * `execute` and `cancel` post to the switchboard; `turn` is the last human turn so far. `refused` is called with an
   * error and what the human did, and returns whether the visit is over.
   */
  constructor({ provider, turn, execute, cancel, screen, refused }) {
    this.#provider = provider;
    this.turn = turn;
    this.#execute = execute;
    this.#refused = refused ?? ((error) => screen.trouble(error.message || "offline"));
    this.cancel = cancel;
    this.screen = screen;
  }

  /** The human begins to speak, write or press; returns what the model has to be told first. */
  begin() {
    this.turn += 1;
    this.#unsent = null;
    this.#asked = this.#isCut ? "" : `${this.#told} ${this.#said}`;
    this.#told = this.#said = "";
    this.#isCut = false;
    this.#isHidden = false;
    this.screen.closeAgent();
    return this.notes.splice(0);
  }

  /** Keep what the human did in this turn until the switchboard is told next. */
  hear(heard) {
    this.#unsent = heard;
  }

  /** What was said last was broken off before it had been played to its end: no yes answers that. */
  unheard() {
    this.#isCut = true;
  }

  /** The model begins to answer; whatever is broken off from now on is this answer. */
  answers() {
    this.#isCut = false;
  }

  spoke(text) {
    this.#said += text;
    if (!this.#isHidden) this.screen.agent(text);
  }

  /** Have calls executed; returns the answer, or null where the switchboard cannot be reached. */
  async execute(calls, more = {}, { isLast = false } = {}) {
    const body = { provider: this.#provider, turn: Math.max(1, this.turn), calls, ...more };
    if (this.#unsent) Object.assign(body, { heard: this.#unsent, asked: this.#asked.trim() || null });
    this.#unsent = null;
    let answer;
    try {
      answer = await this.#execute(body, { keepalive: isLast });
    } catch (error) {
      this.isOver = Boolean(!isLast && (await this.#refused(error, body.heard)));
      return null;
    }
    this.screen.activity("");
    this.#show(answer);
    return answer;
  }

  /** Tell the switchboard that a turn is over: what was said, and whether the human broke it off. */
  async report(interrupted) {
    const said = this.#said;
    this.#said = "";
    // Of what was broken off, nobody knows how much was heard.
    this.#told = interrupted ? "" : `${this.#told} ${said}`;
    if (interrupted) this.screen.cut(null);
    this.screen.closeAgent();
    if (!said && !this.#unsent) return;
    await this.execute([], { said: said || null, interrupted });
  }

  /** The talk is left: what was said in it last is written down like everything before. */
  leave() {
    const said = this.#said;
    this.#said = "";
    if (!this.isOver && (said || this.#unsent)) {
      this.execute([], { said: said || null, interrupted: Boolean(said) }, { isLast: true });
    }
  }

  #show(answer) {
    if (answer.heard && answer.heard.verdict !== "open" && answer.heard.verdict !== "nothing") this.asks(null);
    if (answer.asked) this.asks(answer.asked);
    for (const receipt of answer.receipts) this.screen.receipt(receipt);
    this.notes.push(...answer.notes);
    this.#isHidden ||= answer.intents.includes("SUPPRESS_TRANSCRIPT");
    this.isEnding ||= answer.over;
  }

  /** Show the question that waits for a yes, or that none does. */
  asks(asked) {
    this.asked = asked;
    this.screen.ask(asked);
  }
}
