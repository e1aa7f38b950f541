// Joins the page: who talks, with which voice, and what the buttons do.

import { BrowserTalk } from "./browser_talk.js";
import { Field } from "./field.js";
import { GeminiTalk } from "./gemini_talk.js";
import { OpenAITalk } from "./openai_talk.js";
import { Screen } from "./screen.js";
import { Server } from "./server.js";

const VENDORS = { openai: OpenAITalk, gemini: GeminiTalk };

// A talk that was left in the middle of an answer is written down a moment later.
const LOOKS_AGAIN_MS = [700, 1500, 3000];

class Page {
  #server = new Server();
  #screen = new Screen(document);
  #field = new Field(document, this.#screen);
  #language = "en";
  #talk = null;
  #starting = null;
  // Counts what was begun and left, so that what is still on its way knows that nobody waits for it.
  #attempt = 0;
  #isOver = false;

  async open() {
    const screen = this.#screen;
    this.#address({ language: navigator.language, name: "" });
    this.#offerProviders();
    screen.part("microphone").addEventListener("click", () => this.#pressed());
    screen.part("anew").addEventListener("click", () => this.#beginAnew());
    document.getElementById("write").addEventListener("submit", (event) => this.#wrote(event));
    for (const button of ["yes", "no"]) {
      screen.part(button).addEventListener("click", () => this.#answered(button));
    }
    screen.part("provider").addEventListener("change", () => {
      this.#server.keep({ provider: this.#provider });
      this.#explain();
    });
    addEventListener("pagehide", () => this.#leave());
    // Come back to by the browser's Back, as it was left: the talk may have gone on elsewhere.
    addEventListener("pageshow", (event) => event.persisted && this.#recall());
    try {
      await this.#server.enter(location);
      history.replaceState(null, "", location.pathname + location.search);
    } catch (error) {
      screen.trouble(error.message || (error.status === 0 && !location.search ? "nobody" : "offline"));
      return;
    }
    this.#welcome();
    await this.#recall();
    this.#enable();
  }

  #welcome() {
    const visit = this.#server.kept;
    if (visit.business) this.#address(visit.business);
    if (visit.demo) this.#screen.demo(visit.demo, (question) => this.#write(question));
    const { options } = this.#screen.part("provider");
    if ([...options].some(({ value }) => value === visit.provider)) this.#screen.part("provider").value = visit.provider;
  }

  #enable() {
    for (const name of ["words", "send"]) this.#screen.part(name).disabled = false;
    this.#screen.part("microphone").disabled = this.#isOver;
    this.#explain();
  }

  /** Show what was said and done, where there was a talk before; nothing of it is spoken, and nothing sent. */
  async #recall(looksAgain = LOOKS_AGAIN_MS) {
    if (this.#isOver) return;
    const attempt = this.#attempt;
    let recorded;
    try {
      recorded = await this.#server.history();
    } catch (error) {
      if ([401, 403].includes(error.status)) this.#over();
      else this.#screen.trouble(error.message || "offline");
      return;
    }
    // Whoever has begun to talk meanwhile sees what they say.
    if (attempt !== this.#attempt || this.#talk) return;
    this.#server.keep({ businessId: recorded.businessId });
    this.#address(recorded.business);
    this.#screen.recall(recorded, this.#server.kept.greeting);
    const isAnswered = recorded.transcript.at(-1)?.role !== "caller";
    if (!isAnswered && looksAgain.length) setTimeout(() => this.#recall(looksAgain.slice(1)), looksAgain[0]);
  }

  get #provider() {
    return this.#screen.part("provider").value || "browser";
  }

  #address(business) {
    this.#language = business.language;
    this.#screen.address(business.language, business.name);
    this.#field.measure();
    for (const option of this.#screen.part("provider").options) {
      option.textContent = this.#screen.words.providers[option.value];
    }
    this.#explain();
  }

  #offerProviders() {
    const providers = document.body.dataset.providers.split(" ").filter((name) => name in this.#screen.words.providers);
    for (const name of providers) {
      this.#screen.part("provider").append(new Option(this.#screen.words.providers[name], name));
    }
    this.#screen.part("voices").hidden = providers.length < 2;
  }

  /** Say what the microphone is used for, or why it cannot be. */
  #explain() {
    const { words } = this.#screen;
    const probe = this.#newTalk("browser");
    const isOwn = this.#provider === "browser";
    let text = isOwn ? words.permission : words.vendorPermission.replace("{vendor}", words.providers[this.#provider]);
    if (isOwn && !probe.canListen) text = words.writeInstead;
    if (isOwn && !probe.canSpeak) text += ` ${words.noVoice}`;
    this.#screen.part("permission").textContent = text;
    // What is spoken need not be read out by a screen reader as well.
    this.#screen.part("captions").setAttribute("aria-live", isOwn && !probe.canSpeak ? "polite" : "off");
    this.#screen.part("microphone").hidden = isOwn && !probe.canListen;
    this.#screen.part("words-label").textContent = isOwn && !probe.canListen ? words.writeOnly : words.write;
  }

  #newTalk(provider) {
    const shared = { server: this.#server, screen: this.#screen, language: this.#language };
    const refused = (error, said) => this.#refused(error, said);
    const onEnd = () => this.#ended();
    if (provider === "browser") return new BrowserTalk({ ...shared, refused, onEnd });
    const execute = (body, how) => this.#server.post("execute", body, how);
    const cancel = (body) => this.#server.post("cancel", body);
    return new VENDORS[provider]({ ...shared, execute, cancel, refused, onEnd });
  }

  async #pressed() {
    if (this.#talk || this.#starting) await this.#leave();
    else await this.#started(false);
  }

  async #leave() {
    if (!this.#talk && !this.#starting) return;
    this.#screen.state("idle");
    await this.#stop();
  }

  /** Begin to talk, once however often it is asked for. */
  #started(isWritten) {
    const starting = (this.#starting ??= this.#start(this.#provider, isWritten).finally(() => {
      if (this.#starting === starting) this.#starting = null;
    }));
    return starting;
  }

  async #start(provider, isWritten) {
    const screen = this.#screen;
    this.#attempt += 1;
    const attempt = this.#attempt;
    let talk = null;
    screen.trouble("");
    screen.state("connecting");
    screen.talking(true);
    try {
      const opened = await this.#server.post("session", isWritten ? { provider, written: true } : { provider });
      if (attempt !== this.#attempt) return;
      if (opened.greeting && !opened.ask) this.#server.keep({ greeting: opened.greeting });
      this.#address(opened.business);
      screen.talking(true);
      this.#talk = talk = this.#newTalk(provider);
      await talk.start(opened, { isWritten });
      if (attempt !== this.#attempt) await talk.stop();
    } catch (error) {
      if (attempt !== this.#attempt) {
        await talk?.stop();
        return;
      }
      await this.#stop();
      screen.state("idle");
      await this.#explainFailure(provider, error);
    }
  }

  async #explainFailure(provider, error) {
    if (await this.#server.isOver(error)) this.#over();
    else if (["NotAllowedError", "SecurityError"].includes(error.name)) this.#screen.trouble("refused");
    else if (error.name === "NotFoundError") this.#screen.trouble("microphone");
    else if (provider !== "browser" && error.status !== 403) {
      this.#screen.part("provider").value = "browser";
      this.#explain();
      this.#screen.trouble("vendor");
    } else this.#screen.trouble(error.message || "offline");
  }

  /** What was said was not taken: say why, and give it back; returns whether the visit is over. */
  async #refused(error, said) {
    const isOver = await this.#server.isOver(error);
    this.#field.giveBack(said?.text);
    if (isOver) {
      this.#over();
      await this.#leave();
    } else this.#screen.trouble(error.message || "offline");
    return isOver;
  }

  async #stop() {
    const talk = this.#talk;
    this.#attempt += 1;
    this.#talk = this.#starting = null;
    this.#screen.talking(false);
    await talk?.stop();
  }

  #ended() {
    this.#talk = null;
    this.#screen.talking(false);
    this.#screen.ask(null);
  }

  /** The server lets this visit in no more: say so, and how another one is begun. */
  #over() {
    const { canBeginAnew } = this.#server;
    this.#isOver = true;
    this.#screen.ask(null);
    this.#screen.trouble("expired");
    this.#screen.part("anew").hidden = !canBeginAnew;
    this.#screen.part("microphone").disabled = true;
  }

  async #beginAnew() {
    const screen = this.#screen;
    try {
      await this.#server.beginAnew();
    } catch (error) {
      screen.trouble([401, 403].includes(error.status) ? "closed" : error.message || "offline");
      screen.part("anew").hidden = [401, 403].includes(error.status);
      return;
    }
    this.#isOver = false;
    screen.part("anew").hidden = true;
    screen.trouble("");
    screen.recall({ transcript: [], receipts: [], ask: null });
    this.#welcome();
    this.#enable();
    screen.part(this.#field.isEmpty && !screen.part("microphone").hidden ? "microphone" : "words").focus();
  }

  async #wrote(event) {
    event.preventDefault();
    if (this.#isOver) {
      this.#screen.part("anew").focus();
      return;
    }
    const text = this.#field.take();
    if (text) await this.#write(text);
  }

  async #write(text) {
    document.getElementById("examples").classList.add("after");
    if (!this.#talk) await this.#started(true);
    if (this.#talk) await this.#talk.write(text);
    else this.#field.giveBack(text);
  }

  async #answered(button) {
    const asked = this.#screen.question;
    if (!asked) return;
    this.#screen.ask(null);
    if (!this.#talk) await this.#started(true);
    if (this.#talk) await this.#talk.press(button, asked.turn, this.#screen.words[button]);
    else if (!this.#isOver) this.#screen.ask(asked);
  }
}

new Page().open();
