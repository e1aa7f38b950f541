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
  es: {
    title: "Hablar con {name}",
    us: "nosotros",
    you: "Usted",
    agent: "Asistente",
    start: "Empezar a hablar",
    stop: "Terminar",
    write: "O escriba",
    writeOnly: "Escríbanos",
    send: "Enviar",
    yes: "Sí",
    no: "No",
    voice: "Voz",
    conversation: "Conversación",
    states: {
      idle: "Cuando usted quiera.",
      connecting: "Conectando…",
      listening: "Escucho. Hable sin más; puede interrumpir en cualquier momento.",
      thinking: "Un momento…",
      speaking: "Hablo. Hable usted para interrumpir.",
      waiting: "Le toca: escriba su respuesta.",
      ended: "Esta conversación ha terminado.",
    },
    providers: { browser: "La voz de este navegador", openai: "OpenAI", gemini: "Gemini" },
    permission:
      "Al empezar, su navegador pregunta si esta página puede usar el micrófono. Solo escucha mientras lo diga arriba. Su navegador convierte su voz en texto; algunos usan para ello un servicio de su fabricante.",
    vendorPermission:
      "Al empezar, su navegador pregunta si esta página puede usar el micrófono. Lo que diga va directamente a {vendor}, hasta que termine.",
    writeInstead: "Este navegador no puede convertir la voz en texto; escriba, por favor. Las respuestas se leen en voz alta.",
    noVoice: "Este navegador no puede leer en voz alta; lea las respuestas, por favor.",
    troubles: {
      refused:
        "Esta página no puede usar su micrófono. Permítalo en los ajustes de su navegador para esta página, o escriba.",
      microphone: "No se ha encontrado ningún micrófono. Conecte uno, o escriba.",
      recognition: "El reconocimiento de voz de su navegador no está disponible ahora. Escriba, por favor.",
      offline: "Ahora no hay conexión. Inténtelo de nuevo dentro de un momento.",
      unanswered: "Lo sentimos, no se ha podido responder. Dígalo otra vez, por favor.",
      nobody: "Esta página se ha abierto sin nombrar ninguna empresa. Use el enlace que le dieron.",
      vendor: "El servicio de voz no está disponible ahora. Puede seguir con la voz de este navegador.",
      lost: "Se ha perdido la conexión con el servicio de voz. Pulse empezar para seguir.",
    },
    done: "Hecho",
  },
  fr: {
    title: "Parler avec {name}",
    us: "nous",
    you: "Vous",
    agent: "Assistant",
    start: "Commencer à parler",
    stop: "Terminer",
    write: "Ou écrivez",
    writeOnly: "Écrivez-nous",
    send: "Envoyer",
    yes: "Oui",
    no: "Non",
    voice: "Voix",
    conversation: "Conversation",
    states: {
      idle: "Quand vous voulez.",
      connecting: "Connexion…",
      listening: "J'écoute. Parlez simplement ; vous pouvez interrompre à tout moment.",
      thinking: "Un instant…",
      speaking: "Je parle. Parlez pour m'interrompre.",
      waiting: "À vous : écrivez votre réponse.",
      ended: "Cette conversation est terminée.",
    },
    providers: { browser: "La voix de ce navigateur", openai: "OpenAI", gemini: "Gemini" },
    permission:
      "Au début, votre navigateur demande si cette page peut utiliser votre micro. Elle n'écoute que tant que c'est indiqué ci-dessus. Votre navigateur transforme votre voix en texte ; certains utilisent pour cela un service de leur fabricant.",
    vendorPermission:
      "Au début, votre navigateur demande si cette page peut utiliser votre micro. Ce que vous dites va directement à {vendor}, jusqu'à ce que vous terminiez.",
    writeInstead: "Ce navigateur ne sait pas transformer la voix en texte : écrivez, s'il vous plaît. Les réponses sont lues à voix haute.",
    noVoice: "Ce navigateur ne sait pas lire à voix haute : lisez les réponses, s'il vous plaît.",
    troubles: {
      refused:
        "Cette page n'a pas le droit d'utiliser votre micro. Autorisez-le dans les réglages de votre navigateur pour cette page, ou écrivez.",
      microphone: "Aucun micro n'a été trouvé. Branchez-en un, ou écrivez.",
      recognition: "La reconnaissance vocale de votre navigateur n'est pas joignable. Écrivez, s'il vous plaît.",
      offline: "Il n'y a pas de connexion pour le moment. Réessayez dans un instant.",
      unanswered: "Désolé, il n'y a pas eu de réponse. Redites-le, s'il vous plaît.",
      nobody: "Cette page a été ouverte sans nommer d'entreprise. Utilisez le lien que vous avez reçu.",
      vendor: "Le service vocal n'est pas joignable. Vous pouvez continuer avec la voix de ce navigateur.",
      lost: "La connexion au service vocal est perdue. Appuyez sur commencer pour continuer.",
    },
    done: "Fait",
  },
};

/** The language that the page speaks to somebody who has this one. */
export function languageOf(tag) {
  const language = tag.split("-")[0].toLowerCase();
  return Object.hasOwn(WORDS, language) ? language : "en";
}

export function wordsFor(tag) {
  return WORDS[languageOf(tag)];
}
