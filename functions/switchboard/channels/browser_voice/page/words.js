// What the page itself says, by language.

const WORDS = {
  en: {
    title: "Talk to {name}",
    us: "us",
    you: "You",
    agent: "Assistant",
    start: "Start talking",
    stop: "Stop",
    write: "Or write",
    writeOnly: "Write to us",
    send: "Send",
    yes: "Yes",
    no: "No",
    voice: "Voice",
    conversation: "Conversation",
    states: {
      idle: "Ready when you are.",
      connecting: "Connecting…",
      listening: "Listening. Just speak; you can interrupt at any time.",
      thinking: "One moment…",
      speaking: "Speaking. Speak up to interrupt.",
      waiting: "Your turn: write your answer.",
      ended: "This conversation has ended.",
    },
    providers: { browser: "This browser's voice", openai: "OpenAI", gemini: "Gemini" },
    permission:
      "When you start, your browser asks whether this page may use your microphone. It listens only while it says so above. Your browser turns your speech into text, which some browsers have done by their maker's service.",
    vendorPermission:
      "When you start, your browser asks whether this page may use your microphone. What you say goes directly to {vendor}, until you stop.",
    writeInstead: "This browser cannot turn speech into text, so please write. Answers are still read aloud.",
    noVoice: "This browser cannot read aloud, so please read the answers.",
    troubles: {
      refused:
        "This page may not use your microphone. Allow it in your browser's settings for this page, or write instead.",
      microphone: "No microphone was found. Connect one, or write instead.",
      recognition: "Your browser's speech recognition cannot be reached right now. Please write instead.",
      offline: "There is no connection right now. Please try again in a moment.",
      unanswered: "Sorry, that could not be answered. Please say it again.",
      nobody: "This page was opened without naming a business. Please use the link that you were given.",
      vendor: "The voice service cannot be reached right now. You can go on with this browser's voice.",
      lost: "The connection to the voice service was lost. Press start to go on.",
    },
    done: "Done",
  },
  de: {
    title: "Mit {name} sprechen",
    us: "uns",
    you: "Sie",
    agent: "Assistenz",
    start: "Sprechen",
    stop: "Beenden",
    write: "Oder schreiben",
    writeOnly: "Schreiben Sie uns",
    send: "Senden",
    yes: "Ja",
    no: "Nein",
    voice: "Stimme",
    conversation: "Gespräch",
    states: {
      idle: "Bereit, wenn Sie es sind.",
      connecting: "Verbindung wird aufgebaut…",
      listening: "Ich höre zu. Sprechen Sie einfach; Sie können jederzeit unterbrechen.",
      thinking: "Einen Moment…",
      speaking: "Ich spreche. Sprechen Sie, um zu unterbrechen.",
      waiting: "Sie sind dran: Schreiben Sie Ihre Antwort.",
      ended: "Dieses Gespräch ist beendet.",
    },
    providers: { browser: "Stimme dieses Browsers", openai: "OpenAI", gemini: "Gemini" },
    permission:
      "Beim Start fragt Ihr Browser, ob diese Seite Ihr Mikrofon benutzen darf. Sie hört nur zu, solange es oben steht. Ihr Browser macht aus Ihrer Sprache Text; manche Browser nutzen dafür einen Dienst ihres Herstellers.",
    vendorPermission:
      "Beim Start fragt Ihr Browser, ob diese Seite Ihr Mikrofon benutzen darf. Was Sie sagen, geht direkt an {vendor}, bis Sie beenden.",
    writeInstead: "Dieser Browser kann Sprache nicht in Text umwandeln; bitte schreiben Sie. Antworten werden vorgelesen.",
    noVoice: "Dieser Browser kann nicht vorlesen; bitte lesen Sie die Antworten.",
    troubles: {
      refused:
        "Diese Seite darf Ihr Mikrofon nicht benutzen. Erlauben Sie es in den Einstellungen Ihres Browsers für diese Seite, oder schreiben Sie.",
      microphone: "Es wurde kein Mikrofon gefunden. Schließen Sie eines an, oder schreiben Sie.",
      recognition: "Die Spracherkennung Ihres Browsers ist gerade nicht erreichbar. Bitte schreiben Sie.",
      offline: "Gerade besteht keine Verbindung. Bitte versuchen Sie es gleich noch einmal.",
      unanswered: "Das konnte leider nicht beantwortet werden. Bitte sagen Sie es noch einmal.",
      nobody: "Diese Seite wurde ohne ein Unternehmen geöffnet. Bitte benutzen Sie den Link, den Sie bekommen haben.",
      vendor: "Der Sprachdienst ist gerade nicht erreichbar. Mit der Stimme dieses Browsers geht es weiter.",
      lost: "Die Verbindung zum Sprachdienst ist abgerissen. Drücken Sie auf Sprechen, um weiterzumachen.",
    },
    done: "Erledigt",
  },
};

export function wordsFor(language) {
  return WORDS[language.split("-")[0].toLowerCase()] ?? WORDS.en;
}
