// Joins the page: who talks, with which voice, and what the buttons do.

import { BrowserTalk } from "./browser_talk.js";
import { GeminiTalk } from "./gemini_talk.js";
import { OpenAITalk } from "./openai_talk.js";
import { Screen } from "./screen.js";
import { Server } from "./server.js";

const VENDORS = { openai: OpenAITalk, gemini: GeminiTalk };

class Page {
  #server = new Server();
  #screen = new Screen(document);
  #language = "en";
  #talk = null;
  #starting = null;

  async open() {
    const screen = this.#screen;
    this.#address({ language: navigator.language, name: "" });
    this.#offerProviders();
    screen.part("microphone").addEventListener("click", () => this.#pressed());
    document.getElementById("write").addEventListener("submit", (event) => this.#wrote(event));
    for (const button of ["yes", "no"]) {
      screen.part(button).addEventListener("click", () => this.#answered(button));
    }
    screen.part("provider").addEventListener("change", () => this.#explain());
    addEventListener("pagehide", () => this.#talk?.stop());
    try {
      const visit = await this.#server.enter(location, sessionStorage);
      history.replaceState(null, "", location.pathname + location.search);
      if (visit?.business) this.#address(visit.business);
      if (visit?.demo) screen.demo(visit.demo, (question) => this.#write(question));
    } catch (error) {
      screen.trouble(error.message || (error.status === 0 && !location.search ? "nobody" : "offline"));
      return;
    }
    for (const name of ["words", "send"]) screen.part(name).disabled = false;
    screen.part("microphone").disabled = false;
    this.#explain();
  }

  get #provider() {
    return this.#screen.part("provider").value || "browser";
  }

  #address(business) {
    this.#language = business.language;
    this.#screen.address(business.language, business.name);
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
    const onEnd = () => this.#ended();
    if (provider === "browser") return new BrowserTalk({ ...shared, onEnd });
    const execute = (body) => this.#server.post("execute", body);
    const cancel = (body) => this.#server.post("cancel", body);
    return new VENDORS[provider]({ ...shared, execute, cancel, onEnd });
  }

  async #pressed() {
    if (this.#talk) {
      await this.#stop();
      this.#screen.state("idle");
    } else {
      await this.#started(false);
    }
  }

  /** Begin to talk, once however often it is asked for. */
  #started(isWritten) {
    this.#starting ??= this.#start(this.#provider, isWritten).finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start(provider, isWritten) {
    const screen = this.#screen;
    screen.trouble("");
    screen.state("connecting");
    screen.talking(true);
    try {
      const opened = await this.#server.post("session", { provider });
      this.#address(opened.business);
      screen.talking(true);
      this.#talk = this.#newTalk(provider);
      await this.#talk.start(opened, { isWritten });
    } catch (error) {
      await this.#stop();
      this.#explainFailure(provider, error);
      screen.state("idle");
    }
  }

  #explainFailure(provider, error) {
    if (error.status === 401) this.#server.forget(sessionStorage);
    if (["NotAllowedError", "SecurityError"].includes(error.name)) this.#screen.trouble("refused");
    else if (error.name === "NotFoundError") this.#screen.trouble("microphone");
    else if (provider !== "browser" && error.status !== 401) {
      this.#screen.part("provider").value = "browser";
      this.#explain();
      this.#screen.trouble("vendor");
    } else this.#screen.trouble(error.message || "offline");
  }

  async #stop() {
    const talk = this.#talk;
    this.#talk = null;
    this.#screen.talking(false);
    this.#screen.ask(null);
    await talk?.stop();
  }

  #ended() {
    this.#talk = null;
    this.#screen.talking(false);
    this.#screen.ask(null);
  }

  async #wrote(event) {
    event.preventDefault();
    const field = this.#screen.part("words");
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    await this.#write(text);
  }

  async #write(text) {
    document.getElementById("examples").classList.add("after");
    if (!this.#talk) await this.#started(true);
    await this.#talk?.write(text);
  }

  async #answered(button) {
    const asked = this.#screen.question;
    if (!asked || !this.#talk) return;
    this.#screen.ask(null);
    await this.#talk.press(button, asked.turn, this.#screen.words[button]);
  }
}

new Page().open();
