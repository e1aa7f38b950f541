// The portal's page: lets somebody in, shows the conversation, and streams the answers.
// Every text becomes text nodes; nothing that a model or a stranger wrote is ever read as HTML.

import { plainly, rendered } from "./marks.js";

const WORDS = {
  en: {
    about: "You are writing with the AI assistant.",
    skip: "Skip to the message field",
    conversation: "Conversation",
    message: "Your message",
    placeholder: "Write a message",
    send: "Send",
    stop: "Stop the answer",
    you: "You:",
    agent: "Assistant:",
    writing: "Writing…",
    working: "One moment…",
    yes: "Yes",
    no: "No",
    confirm: "Is that right?",
    stopped: "Stopped here.",
    ended: "This conversation has ended. Write again whenever you like.",
    voice: "Go on by voice",
    lost: "The connection was lost.",
    reconnecting: "Connection lost, trying again…",
    retry: "Try again",
    failed: "Something went wrong, and there is no answer.",
    refused: "This message could not be sent. Please change it.",
    tooMany: "There are too many requests from here. Please try again later.",
    expired: "This visit has ended.",
    anew: "Start a new conversation",
    badLink: "This link is not valid any more. Ask for a new one on the phone.",
    noVisitors: "Please open this page with the link that you were sent.",
    unreachable: "The page cannot be reached right now.",
    what: "What", for: "For", from: "From", to: "To", when: "When",
    done: "Done",
    receipts: {
      book_appointment: "Booked", create_event: "Booked", reschedule_appointment: "Moved",
      cancel_appointment: "Cancelled", take_message: "Message taken", send_email: "E-mail sent",
      send_sms: "Text message sent", send_verification_code: "Code sent", check_verification_code: "Identity confirmed",
      verify_caller: "Identity confirmed", send_portal_link: "Link sent",
    },
  },
  de: {
    about: "Sie schreiben mit dem KI-Assistenten.",
    skip: "Zum Nachrichtenfeld springen",
    conversation: "Gespräch",
    message: "Ihre Nachricht",
    placeholder: "Nachricht schreiben",
    send: "Senden",
    stop: "Antwort anhalten",
    you: "Sie:",
    agent: "Assistent:",
    writing: "Schreibt …",
    working: "Einen Moment …",
    yes: "Ja",
    no: "Nein",
    confirm: "Ist das richtig?",
    stopped: "Hier angehalten.",
    ended: "Dieses Gespräch ist beendet. Schreiben Sie gern wieder.",
    voice: "Mit Sprache weitermachen",
    lost: "Die Verbindung ist abgebrochen.",
    reconnecting: "Verbindung unterbrochen, neuer Versuch …",
    retry: "Noch einmal versuchen",
    failed: "Etwas ist schiefgegangen, es gibt keine Antwort.",
    refused: "Diese Nachricht konnte nicht gesendet werden. Bitte ändern Sie sie.",
    tooMany: "Von hier kommen zu viele Anfragen. Bitte versuchen Sie es später noch einmal.",
    expired: "Dieser Besuch ist beendet.",
    anew: "Neues Gespräch beginnen",
    badLink: "Dieser Link ist nicht mehr gültig. Bitten Sie am Telefon um einen neuen.",
    noVisitors: "Bitte öffnen Sie diese Seite mit dem Link, den Sie bekommen haben.",
    unreachable: "Die Seite ist gerade nicht erreichbar.",
    what: "Was", for: "Für", from: "Von", to: "An", when: "Wann",
    done: "Erledigt",
    receipts: {
      book_appointment: "Gebucht", create_event: "Gebucht", reschedule_appointment: "Verlegt",
      cancel_appointment: "Abgesagt", take_message: "Nachricht aufgenommen", send_email: "E-Mail gesendet",
      send_sms: "SMS gesendet", send_verification_code: "Code gesendet", check_verification_code: "Identität bestätigt",
      verify_caller: "Identität bestätigt", send_portal_link: "Link gesendet",
    },
  },
  es: {
    about: "Está escribiendo con el asistente de IA.",
    skip: "Ir al campo del mensaje",
    conversation: "Conversación",
    message: "Su mensaje",
    placeholder: "Escriba un mensaje",
    send: "Enviar",
    stop: "Detener la respuesta",
    you: "Usted:",
    agent: "Asistente:",
    writing: "Escribiendo…",
    working: "Un momento…",
    yes: "Sí",
    no: "No",
    confirm: "¿Es correcto?",
    stopped: "Detenido aquí.",
    ended: "Esta conversación ha terminado. Escriba de nuevo cuando quiera.",
    voice: "Continuar por voz",
    lost: "Se ha perdido la conexión.",
    reconnecting: "Conexión perdida, intentándolo de nuevo…",
    retry: "Intentar de nuevo",
    failed: "Algo ha salido mal y no hay respuesta.",
    refused: "No se ha podido enviar este mensaje. Cámbielo, por favor.",
    tooMany: "Llegan demasiadas peticiones desde aquí. Inténtelo más tarde.",
    expired: "Esta visita ha terminado.",
    anew: "Empezar una conversación nueva",
    badLink: "Este enlace ya no es válido. Pida uno nuevo por teléfono.",
    noVisitors: "Abra esta página con el enlace que le enviaron.",
    unreachable: "La página no está disponible ahora mismo.",
    what: "Qué", for: "Para", from: "De", to: "A", when: "Cuándo",
    done: "Hecho",
    receipts: {
      book_appointment: "Reservado", create_event: "Reservado", reschedule_appointment: "Cambiado",
      cancel_appointment: "Cancelado", take_message: "Mensaje tomado", send_email: "Correo enviado",
      send_sms: "SMS enviado", send_verification_code: "Código enviado",
      check_verification_code: "Identidad confirmada", verify_caller: "Identidad confirmada",
      send_portal_link: "Enlace enviado",
    },
  },
  fr: {
    about: "Vous écrivez avec l'assistant IA.",
    skip: "Aller au champ du message",
    conversation: "Conversation",
    message: "Votre message",
    placeholder: "Écrivez un message",
    send: "Envoyer",
    stop: "Arrêter la réponse",
    you: "Vous :",
    agent: "Assistant :",
    writing: "Écrit…",
    working: "Un instant…",
    yes: "Oui",
    no: "Non",
    confirm: "Est-ce exact ?",
    stopped: "Arrêté ici.",
    ended: "Cette conversation est terminée. Écrivez à nouveau quand vous voulez.",
    voice: "Continuer de vive voix",
    lost: "La connexion est perdue.",
    reconnecting: "Connexion perdue, nouvel essai…",
    retry: "Réessayer",
    failed: "Quelque chose s'est mal passé, il n'y a pas de réponse.",
    refused: "Ce message n'a pas pu être envoyé. Modifiez-le, s'il vous plaît.",
    tooMany: "Trop de demandes viennent d'ici. Réessayez plus tard.",
    expired: "Cette visite est terminée.",
    anew: "Commencer une nouvelle conversation",
    badLink: "Ce lien n'est plus valable. Demandez-en un nouveau par téléphone.",
    noVisitors: "Ouvrez cette page avec le lien que vous avez reçu.",
    unreachable: "La page n'est pas joignable pour le moment.",
    what: "Quoi", for: "Pour", from: "De", to: "À", when: "Quand",
    done: "Fait",
    receipts: {
      book_appointment: "Réservé", create_event: "Réservé", reschedule_appointment: "Déplacé",
      cancel_appointment: "Annulé", take_message: "Message pris", send_email: "E-mail envoyé",
      send_sms: "SMS envoyé", send_verification_code: "Code envoyé",
      check_verification_code: "Identité confirmée", verify_caller: "Identité confirmée",
      send_portal_link: "Lien envoyé",
    },
  },
};
// Which label stands before the person of a receipt; `what` is told where the title does not say it already.
const PERSON = { take_message: "from", send_email: "to", send_sms: "to", send_verification_code: "to" };
const TITLE_SAYS_WHAT = new Set([
  "take_message", "send_email", "send_sms", "send_verification_code", "check_verification_code", "verify_caller",
  "send_portal_link",
]);

const KEPT = "switchboard.portal";
const RETRY_MS = [300, 1000, 2000, 4000, 8000];
const SILENCE_MS = 25000;
const STOP_MS = 1500;
const TYPE_MS = 28;
// How long a quick look-up stays to be seen, and how long a slow one takes until a screen reader is told.
const ACTIVITY_MS = 450;
const WORTH_TELLING_MS = 500;
// A message that was under way so long ago is not sent again by itself.
const PENDING_MS = 300000;

const $ = (id) => document.getElementById(id);
const streams = document.querySelector('meta[name="streams"]');
// Where the page comes through a server that holds streams back, conversations are had with the one behind it: all that
// belongs to one, since only the process that answers can be stopped; and so is the way in, since only who comes straight
// there is counted by an address of their own.
const elsewhere = streams?.content && streams.dataset.pageOrigin === location.origin ? `${streams.content}/portal/` : "";
const address = (path) => elsewhere ? new URL(path, elsewhere) : new URL(`../${path}`, import.meta.url);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const languageOf = (tag) => (WORDS[tag?.split("-")[0].toLowerCase()] ? tag.split("-")[0].toLowerCase() : "en");
const prefersStillness = matchMedia("(prefers-reduced-motion: reduce)");

let words = WORDS[languageOf(navigator.language)];
let visit = null;
let current = null;
let businessWanted = null;

// ---- what outlives a reload -------------------------------------------------------------------------------------

const kept = {
  read() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    } catch {
      return {};
    }
  },
  write(changes) {
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ ...this.read(), ...changes }));
    } catch {
      // Without storage a reload begins anew.
    }
  },
  clear() {
    try {
      sessionStorage.removeItem(KEPT);
    } catch {
      // Nothing was kept.
    }
  },
};

// ---- requests ---------------------------------------------------------------------------------------------------

class Problem extends Error {
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }

  get mayPass() {
    return this.status >= 500;
  }
}

async function request(path, { body, accept = "application/json", signal, token = visit?.token, keepalive } = {}) {
  const headers = { Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(address(path), {
    method: body ? "POST" : "GET",
    headers,
    body: body && JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    signal,
    keepalive,
  });
  if (!response.ok) throw new Problem(response.status);
  return response;
}

async function* eventsOf(response, alive) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = {};
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
      if (fields.event) yield { name: fields.event, data: JSON.parse(fields.data), turn: parseInt(fields.id, 10) };
    }
  }
}

// ---- elements ---------------------------------------------------------------------------------------------------

function element(name, classes = "", ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

function button(label, act, classes = "") {
  const made = element("button", classes, label);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function check() {
  const space = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(space, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  for (const [name, value] of Object.entries({
    d: "M5 12.5l4.5 4.5L19 7.5", fill: "none", stroke: "currentColor", "stroke-width": "3.2",
    "stroke-linecap": "round", "stroke-linejoin": "round",
  })) path.setAttribute(name, value);
  icon.append(path);
  return icon;
}

function bubble(role) {
  const text = element("div", "bubble");
  return { item: element("li", role, element("span", "unseen", role === "caller" ? words.you : words.agent), text), text };
}

const sites = () => visit?.business.sites ?? [];

function moment(text) {
  const at = new Date(text);
  const zone = visit?.business.timezone || "UTC";
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const options = { weekday: "long", day: "numeric", month: "long", hour: "numeric", minute: "2-digit", timeZone: zone };
  if (at.getFullYear() !== new Date().getFullYear()) options.year = "numeric";
  // Whoever is elsewhere has to know whose time it is.
  if (zone !== here) options.timeZoneName = "short";
  try {
    return new Intl.DateTimeFormat([...navigator.languages], options).format(at);
  } catch {
    // No time, or a zone that this browser does not know: as it was written.
    return text;
  }
}

function receiptRows(receipt) {
  const rows = [];
  if (receipt.what && !TITLE_SAYS_WHAT.has(receipt.tool)) {
    rows.push([words.what, receipt.what.replace(/^(moved|cancelled): /, "")]);
  }
  if (receipt.for) rows.push([words[PERSON[receipt.tool] ?? "for"], receipt.for]);
  if (receipt.when) rows.push([words.when, moment(receipt.when)]);
  return rows;
}

function receiptCard(receipt) {
  const list = element("dl");
  for (const [label, text] of receiptRows(receipt)) list.append(element("dt", "", label), element("dd", "", text));
  return element("li", "receipt", check(), element("h3", "", receiptTitle(receipt)), list);
}

function receiptTitle(receipt) {
  return words.receipts[receipt.tool] ?? words.done;
}

function activity(label, classes = "activity") {
  const dots = element("span", "dots", element("i"), element("i"), element("i"));
  dots.setAttribute("aria-hidden", "true");
  return element("li", classes, dots, element("span", "", label));
}

function append(...items) {
  const scroller = $("scroller");
  const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 120;
  $("conversation").append(...items);
  if (isAtEnd) toEnd();
}

function toEnd() {
  $("scroller").scrollTop = $("scroller").scrollHeight;
}

// ---- what a screen reader is told ---------------------------------------------------------------------------------

function announce(text) {
  const spoken = $("spoken");
  spoken.append(element("p", "", text));
  while (spoken.childElementCount > 20) spoken.firstElementChild.remove();
}

// Streamed words are told sentence by sentence, and each sentence once, also when a dropped answer is read again.
class Sentences {
  constructor() {
    this.told = 0;
    this.begin();
  }

  begin() {
    this.text = "";
    this.seen = 0;
  }

  add(piece) {
    this.text += piece;
    const found = this.split();
    found.slice(0, -1).forEach((sentence) => this.tell(sentence));
    this.text = found.at(-1) ?? "";
  }

  end() {
    this.split().forEach((sentence) => this.tell(sentence));
    this.text = "";
  }

  split() {
    if (!Intl.Segmenter) return [this.text];
    const segments = new Intl.Segmenter(languageOf(visit.business.language), { granularity: "sentence" }).segment(this.text);
    return [...segments].map((part) => part.segment);
  }

  tell(sentence) {
    if (!sentence.trim()) return;
    this.seen += 1;
    if (this.seen <= this.told) return;
    this.told = this.seen;
    announce(plainly(sentence, sites()));
  }
}

// ---- one answer ---------------------------------------------------------------------------------------------------

class Answer {
  constructor() {
    this.sentences = new Sentences();
    this.begin();
  }

  begin() {
    this.items = [];
    this.activities = new Map();
    this.said = "";
    this.queue = "";
    this.bubble = null;
    this.shown = "";
    this.asked = null;
    this.isDone = false;
    this.waiting = this.place(activity(words.writing, "activity waiting"));
    this.waiting.lastElementChild.className = "unseen";
  }

  // The connection dropped: what comes next is the whole answer again.
  again(label) {
    this.remove();
    this.sentences.begin();
    this.begin();
    this.waiting.lastElementChild.className = "";
    this.waiting.lastElementChild.textContent = label;
  }

  remove() {
    clearTimeout(this.timer);
    this.timer = null;
    this.closeActivities();
    this.items.forEach((item) => item.remove());
  }

  place(item) {
    this.items.push(item);
    append(item);
    return item;
  }

  show({ name, data, turn }) {
    // A message that was under way when the page was reloaded may stand in the record by now.
    if (turn) document.querySelectorAll(`#conversation > [data-turn="${turn}"]`).forEach((item) => item.remove());
    this[`on_${name}`]?.(data);
  }

  on_text({ text, filler }) {
    // What bridges a wait by ear is told by the activity here.
    if (filler) return;
    this.said += text;
    this.sentences.add(text);
    if (!this.bubble) {
      if (!text.trim()) return;
      text = text.trimStart();
      this.bubble = bubble("agent");
      this.shown = "";
      this.place(this.bubble.item);
    }
    this.rest();
    this.queue += text;
    if (!this.timer) this.type();
  }

  on_tool({ callId, label, state, ok }) {
    this.closeBubble();
    if (state === "started") {
      this.rest();
      const item = this.place(activity(label || words.working));
      const telling = setTimeout(() => announce(label || words.working), WORTH_TELLING_MS);
      this.activities.set(callId, { item, telling, since: performance.now() });
    } else if (this.activities.has(callId)) {
      const { item, telling, since } = this.activities.get(callId);
      clearTimeout(telling);
      // What was not done must not look as if it were being done.
      setTimeout(() => this.finish(callId, item), ok ? ACTIVITY_MS - (performance.now() - since) : 0);
    }
  }

  finish(callId, item) {
    if (this.activities.get(callId)?.item === item) this.activities.delete(callId);
    item.remove();
    if (!this.isDone && !this.bubble && !this.activities.size && this.items.includes(item)) append(this.waiting);
  }

  closeActivities() {
    this.activities.forEach(({ item, telling }) => {
      clearTimeout(telling);
      item.remove();
    });
    this.activities.clear();
  }

  on_receipt({ callId, ...receipt }) {
    this.closeBubble();
    // It takes the place of what was being done.
    this.activities.get(callId)?.item.remove();
    this.place(receiptCard(receipt));
    announce([receiptTitle(receipt), ...receiptRows(receipt).map((row) => row.join(": "))].join(". "));
  }

  on_ask(asked) {
    this.asked = asked;
  }

  on_intent({ type }) {
    if (type !== "START_VOICE_SESSION") return;
    const target = new URL("../../browser_voice/", import.meta.url);
    target.searchParams.set("business", visit.businessId);
    const made = element("a", "", words.voice);
    made.href = target.href;
    this.place(element("li", "note", made));
  }

  on_done({ outcome }) {
    this.isDone = true;
    this.flush();
    this.closeBubble();
    this.rest();
    this.closeActivities();
    this.sentences.end();
    if (outcome === "interrupted") this.cut();
    if (outcome === "failed" && !this.said.trim()) this.trouble = words.failed;
    if (outcome === "ended") this.place(element("li", "note", words.ended));
    if (this.asked && outcome !== "interrupted") this.ask();
  }

  ask() {
    const question = this.asked.question || words.confirm;
    const flat = (text) => text.replace(/\s+/g, " ").trim();
    const isSaid = flat(this.said).includes(flat(question));
    if (!isSaid) announce(question);
    this.place(questionCard(this.asked, question, isSaid));
  }

  cut() {
    const last = this.items.findLast((item) => item.classList.contains("agent") && item.isConnected);
    if (last) last.append(element("div", "cut", words.stopped));
    else this.place(element("li", "note", words.stopped));
  }

  rest() {
    this.waiting.remove();
  }

  closeBubble() {
    this.flush();
    this.bubble = null;
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.bubble) return;
    this.shown = (this.shown + this.queue).trimEnd();
    this.queue = "";
    this.bubble.text.replaceChildren(...rendered(this.shown, sites()));
    toEndIfNear();
  }

  // Word by word, and faster the more words wait.
  type() {
    this.timer = null;
    if (!this.queue) return;
    const ready = this.queue.match(/\s*\S+\s*/g) ?? [this.queue];
    const isHurried = prefersStillness.matches || document.hidden;
    const count = isHurried ? ready.length : Math.ceil(ready.length / 12);
    const now = ready.slice(0, count).join("");
    this.queue = this.queue.slice(now.length);
    this.shown += now;
    this.bubble.text.replaceChildren(...rendered(this.shown, sites(), false));
    toEndIfNear();
    this.timer = setTimeout(() => this.type(), TYPE_MS);
  }

  async typed() {
    while (this.queue && this.timer) await pause(TYPE_MS);
  }
}

function toEndIfNear() {
  const scroller = $("scroller");
  if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 160) toEnd();
}

function questionCard(asked, question, isSaid) {
  const choices = element("div", "choices");
  for (const value of ["yes", "no"]) {
    choices.append(
      button(words[value], (event) => {
        send({ button: value, question: asked.turn }, words[value]);
        // A keyboard's focus would be lost with the button.
        if (event.detail === 0) $("message").focus();
      }, value === "no" ? "quiet" : ""),
    );
  }
  choices.setAttribute("role", "group");
  choices.setAttribute("aria-label", question);
  return element("li", "ask", element("p", isSaid ? "unseen" : "", question), choices);
}

function closeQuestions() {
  document.querySelectorAll("#conversation > .ask").forEach((item) => {
    if (item.querySelector("p.unseen")) item.remove();
    else item.querySelector(".choices")?.remove();
  });
}

// ---- sending ------------------------------------------------------------------------------------------------------

function send(content, shown) {
  const pending = { id: newId(), content, shown, at: Date.now() };
  closeQuestions();
  $("examples").classList.add("after");
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
  current?.leave();
  kept.write({ pending });
  showCaller(shown);
  toEnd();
  converse(pending);
}

function newId() {
  // crypto.randomUUID is missing where the page is served without TLS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function showCaller(text, turn) {
  const made = bubble("caller");
  made.text.append(text);
  if (turn !== undefined) made.item.dataset.turn = turn;
  append(made.item);
}

async function converse(pending) {
  const answer = new Answer();
  const task = { stopping: false, left: false, controller: null };
  task.leave = () => {
    task.left = true;
    task.controller?.abort();
    if (!answer.isDone) {
      answer.sentences.end();
      answer.on_done({ outcome: "interrupted" });
    }
  };
  task.stop = () => {
    task.stopping = true;
    $("stop").disabled = true;
    request("stop", { body: { messageId: pending.id }, keepalive: true }).catch(() => {});
    setTimeout(() => !answer.isDone && task.leave(), STOP_MS);
  };
  current = task;
  $("stop").hidden = false;
  $("stop").disabled = false;
  const problem = await receive(pending, answer, task);
  if (current === task) {
    current = null;
    const hadFocus = document.activeElement === $("stop");
    $("stop").hidden = true;
    if (hadFocus) $("message").focus();
  }
  if (task.left && !task.stopping) return;
  if (kept.read().pending?.id === pending.id) kept.write({ pending: null });
  if (problem) explain(problem, pending);
  else if (answer.trouble) trouble(answer.trouble, () => send(pending.content, pending.shown));
}

// Returns what went wrong for good; a connection that drops is taken up again with the same message.
async function receive(pending, answer, task) {
  for (let attempt = 0; ; attempt += 1) {
    const controller = (task.controller = new AbortController());
    let silence = setTimeout(() => controller.abort(), SILENCE_MS);
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(), SILENCE_MS);
    };
    try {
      const body = { messageId: pending.id, ...pending.content };
      const response = await request("chat", { body, accept: "text/event-stream", signal: controller.signal });
      for await (const event of eventsOf(response, alive)) {
        if (event.name === "done") await answer.typed();
        if (task.left) return null;
        answer.show(event);
      }
      if (answer.isDone) return null;
    } catch (error) {
      if (task.left) return null;
      if (error instanceof Problem && !error.mayPass) {
        answer.remove();
        return error;
      }
    } finally {
      clearTimeout(silence);
    }
    if (task.left) return null;
    if (attempt >= RETRY_MS.length) {
      answer.remove();
      return new Problem(503);
    }
    answer.again(words.reconnecting);
    await pause(RETRY_MS[attempt]);
    if (task.left) return null;
  }
}

function explain(problem, pending) {
  if (problem.status === 401 || problem.status === 403) {
    kept.clear();
    $("composer").hidden = true;
    trouble(words.expired, businessWanted ? () => location.reload() : null, words.anew);
  } else if (problem.status === 429) {
    trouble(words.tooMany, () => again(pending));
  } else if (problem.mayPass) {
    kept.write({ pending });
    trouble(words.lost, () => again(pending));
  } else {
    if (pending.content.text && !$("message").value) $("message").value = pending.content.text;
    trouble(words.refused, null);
  }
}

// The same message: if it has been answered meanwhile, that answer is shown.
function again(pending) {
  document.querySelectorAll("#conversation > .trouble").forEach((item) => item.remove());
  kept.write({ pending: { ...pending, at: Date.now() } });
  converse(pending);
}

function trouble(text, retry, label = words.retry) {
  const item = element("li", "trouble", element("p", "", text));
  if (retry) item.append(button(label, retry));
  append(item);
  toEnd();
  $("urgent").textContent = "";
  $("urgent").textContent = text;
}

// ---- coming in ----------------------------------------------------------------------------------------------------

function speak(language) {
  words = WORDS[languageOf(language)];
  document.documentElement.lang = language || languageOf(language);
  $("about").textContent = words.about;
  $("skip").textContent = words.skip;
  $("conversation-title").textContent = words.conversation;
  $("message-label").textContent = words.message;
  $("message").placeholder = words.placeholder;
  $("send-label").textContent = words.send;
  $("stop-label").textContent = words.stop;
}

function introduce() {
  const { name, language } = visit.business;
  speak(language);
  document.title = name;
  $("name").textContent = name;
  $("mark").textContent = [...name.trim()][0]?.toUpperCase() ?? "";
  $("notice").hidden = true;
  $("composer").hidden = false;
}

// Where no language model is connected: that it is so, how one is connected, and questions that work.
function showDemo(demo) {
  const [aside, examples] = [$("demo"), $("examples")];
  aside.hidden = examples.hidden = !demo;
  if (!demo) return;
  const text = element("p", "", demo.text);
  text.id = "demo-text";
  const code = element("code", "", demo.lines.join("\n"));
  aside.replaceChildren(text, element("p", "", demo.connect), element("pre", "", code));
  const ask = (question) => button(question, () => send({ text: question }, question), "quiet");
  const label = element("p", "", demo.ask);
  label.id = "examples-label";
  examples.setAttribute("aria-labelledby", label.id);
  examples.replaceChildren(label, ...demo.examples.portal.map(ask));
}

function notice(text, act, label) {
  speak(languageOf(navigator.language));
  $("about").textContent = "";
  showDemo(null);
  $("notice").replaceChildren(element("p", "", text));
  if (act) $("notice").append(button(label, act));
  $("notice").hidden = false;
  $("composer").hidden = true;
  $("urgent").textContent = text;
}

async function enter(body) {
  const response = await request("session", { body, token: null });
  visit = await response.json();
  kept.clear();
  kept.write({ visit });
}

async function recall() {
  const told = await (await request("history")).json();
  visit.business = told.business;
  kept.write({ visit });
  introduce();
  showDemo(told.demo);
  showHistory(told);
}

function showHistory({ transcript, receipts, ask }) {
  if (!transcript.length) showAgent(visit.business.greeting, 0);
  $("examples").classList.toggle("after", transcript.length > 0);
  const entries = [...transcript.map((entry) => [entry.at, entry]), ...receipts.map((entry) => [entry.at, null, entry])];
  entries.sort(([one], [other]) => (one ?? "").localeCompare(other ?? ""));
  for (const [, said, receipt] of entries) {
    if (receipt) {
      const card = receiptCard(receipt);
      card.dataset.turn = receipt.turn;
      append(card);
    } else if (said.role === "caller") {
      showCaller(said.button ? words[said.button] : said.text, said.turn);
    } else {
      showAgent(said.text, said.turn, said.interrupted);
    }
  }
  if (ask) {
    const isSaid = transcript.at(-1)?.text.includes(ask.question) ?? false;
    const card = questionCard(ask, ask.question || words.confirm, isSaid);
    card.dataset.turn = ask.turn;
    append(card);
  }
  // Before anything was said, the page is read from its top.
  if (transcript.length) toEnd();
}

function showAgent(text, turn, wasInterrupted) {
  if (!text.trim()) return;
  const made = bubble("agent");
  made.text.append(...rendered(text.trim(), sites()));
  if (wasInterrupted) made.item.append(element("div", "cut", words.stopped));
  made.item.dataset.turn = turn;
  append(made.item);
}

async function resume(pending) {
  await recall();
  if (!pending || Date.now() - pending.at > PENDING_MS) return;
  // Asked for again: what was answered meanwhile comes at once, and takes the place of what the record shows of it.
  closeQuestions();
  showCaller(pending.shown);
  toEnd();
  converse(pending);
}

async function start() {
  const query = new URLSearchParams(location.search);
  const linked = query.get("link");
  businessWanted = query.get("business");
  const { visit: known, pending } = kept.read();
  if (linked) {
    // It opens once; nobody should find it in the address bar or the browser's history.
    query.delete("link");
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }
  const isKnown = known && new Date(known.expiresAt) > new Date() && (!businessWanted || known.businessId === businessWanted);
  try {
    if (!linked && isKnown) {
      visit = known;
      await resume(pending);
      return;
    }
    if (!linked && !businessWanted) return void notice(words.noVisitors);
    await enter(linked ? { link: linked } : { businessId: businessWanted });
    await recall();
  } catch (error) {
    refuse(error, linked);
  }
}

function refuse(error, linked) {
  const status = error instanceof Problem ? error.status : 0;
  if (status === 429) notice(words.tooMany, start, words.retry);
  else if (linked && status >= 400 && status < 500 && !visit) notice(words.badLink);
  else if (status === 401 || status === 403) {
    const wasIn = visit !== null;
    kept.clear();
    visit = null;
    if (wasIn && businessWanted) notice(words.expired, start, words.anew);
    else notice(wasIn ? words.expired : words.noVisitors);
  } else {
    // The link was not spent; it is kept in memory only.
    notice(words.unreachable, () => (linked && !visit ? enterAgain(linked) : start()), words.retry);
  }
}

async function enterAgain(linked) {
  try {
    await enter({ link: linked });
    await recall();
  } catch (error) {
    refuse(error, linked);
  }
}

// ---- the composer -------------------------------------------------------------------------------------------------

function fit() {
  const field = $("message");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

$("message").addEventListener("input", fit);
$("message").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  $("composer").requestSubmit();
});
$("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("message").value.trim();
  if (!text) return;
  $("message").value = "";
  fit();
  send({ text }, text);
});
$("stop").addEventListener("click", () => current?.stop());
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("message").focus();
});

speak(languageOf(navigator.language));
start();
