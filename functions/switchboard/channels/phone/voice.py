"""How a business sounds on the phone, and the sentences that need no model, in its language."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import LOCALES, language_of
from switchboard.contract.business.voices import VOICE_PROVIDERS
from switchboard.contract.channel import Channel
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.speech.plain_speech import plain


class Sentence(StrEnum):
    """What is said without a model."""

    GREETING = "greeting"
    STILL_THERE = "still_there"
    ONE_MOMENT = "one_moment"
    TROUBLE = "trouble"
    PUT_THROUGH = "put_through"
    SAY_AGAIN = "say_again"
    LATER = "later"
    NOBODY_ANSWERED = "nobody_answered"
    NOT_SERVED = "not_served"
    NOBODY_THERE = "nobody_there"
    CUT_OFF = "cut_off"
    GO_ON = "go_on"
    GOODBYE = "goodbye"
    GONE = "gone"


_SENTENCES: dict[str, dict[Sentence, str]] = {
    "en": {
        Sentence.GREETING: "Thank you for calling {name}. How can I help you?",
        Sentence.STILL_THERE: "Are you still there?",
        Sentence.ONE_MOMENT: "One moment, please.",
        Sentence.TROUBLE: "I'm sorry, we have a technical problem.",
        Sentence.PUT_THROUGH: "I'm putting you through.",
        Sentence.SAY_AGAIN: "Please say that once more.",
        Sentence.LATER: "Please call again in a few minutes. Goodbye.",
        Sentence.NOBODY_ANSWERED: "If nobody could be reached, please call again in a few minutes. Goodbye.",
        Sentence.NOT_SERVED: "We cannot take your call at the moment. Goodbye.",
        Sentence.NOBODY_THERE: "I'm sorry, nobody could be reached.",
        Sentence.CUT_OFF: "Sorry, we were cut off for a moment.",
        Sentence.GO_ON: "Go on, please.",
        Sentence.GOODBYE: "I have to end the call here. Please call again whenever you like. Goodbye.",
        Sentence.GONE: "This number is not in use any more. Goodbye.",
    },
    "de": {
        Sentence.GREETING: "Willkommen bei {name}. Wie kann ich Ihnen helfen?",
        Sentence.STILL_THERE: "Sind Sie noch da?",
        Sentence.ONE_MOMENT: "Einen Moment, bitte.",
        Sentence.TROUBLE: "Es tut mir leid, wir haben gerade ein technisches Problem.",
        Sentence.PUT_THROUGH: "Ich verbinde Sie.",
        Sentence.SAY_AGAIN: "Sagen Sie das bitte noch einmal.",
        Sentence.LATER: "Bitte rufen Sie in ein paar Minuten noch einmal an. Auf Wiederhören.",
        Sentence.NOBODY_ANSWERED: "Wenn niemand zu erreichen war, rufen Sie bitte in ein paar Minuten noch einmal an. "
        "Auf Wiederhören.",
        Sentence.NOT_SERVED: "Wir können Ihren Anruf im Moment nicht annehmen. Auf Wiederhören.",
        Sentence.NOBODY_THERE: "Leider war niemand zu erreichen.",
        Sentence.CUT_OFF: "Entschuldigung, wir waren kurz unterbrochen.",
        Sentence.GO_ON: "Sprechen Sie bitte weiter.",
        Sentence.GOODBYE: "Ich muss das Gespräch hier beenden. Rufen Sie gern wieder an. Auf Wiederhören.",
        Sentence.GONE: "Diese Nummer ist nicht mehr vergeben. Auf Wiederhören.",
    },
    "es": {
        Sentence.GREETING: "Gracias por llamar a {name}. ¿En qué puedo ayudarle?",
        Sentence.STILL_THERE: "¿Sigue usted ahí?",
        Sentence.ONE_MOMENT: "Un momento, por favor.",
        Sentence.TROUBLE: "Lo siento, tenemos un problema técnico.",
        Sentence.PUT_THROUGH: "Le paso ahora mismo.",
        Sentence.SAY_AGAIN: "Dígalo otra vez, por favor.",
        Sentence.LATER: "Por favor, vuelva a llamar dentro de unos minutos. Adiós.",
        Sentence.NOBODY_ANSWERED: "Si no ha podido hablar con nadie, vuelva a llamar dentro de unos minutos. Adiós.",
        Sentence.NOT_SERVED: "En este momento no podemos atender su llamada. Adiós.",
        Sentence.NOBODY_THERE: "Lo siento, no hay nadie disponible.",
        Sentence.CUT_OFF: "Perdone, se ha cortado un momento.",
        Sentence.GO_ON: "Siga, por favor.",
        Sentence.GOODBYE: "Tengo que terminar aquí la llamada. Vuelva a llamar cuando quiera. Adiós.",
        Sentence.GONE: "Este número ya no está en servicio. Adiós.",
    },
    "fr": {
        Sentence.GREETING: "Bienvenue chez {name}. Comment puis-je vous aider ?",
        Sentence.STILL_THERE: "Êtes-vous toujours là ?",
        Sentence.ONE_MOMENT: "Un instant, s'il vous plaît.",
        Sentence.TROUBLE: "Désolé, nous avons un problème technique.",
        Sentence.PUT_THROUGH: "Je vous passe la personne.",
        Sentence.SAY_AGAIN: "Pouvez-vous répéter, s'il vous plaît ?",
        Sentence.LATER: "Rappelez dans quelques minutes, s'il vous plaît. Au revoir.",
        Sentence.NOBODY_ANSWERED: "Si personne n'a répondu, rappelez dans quelques minutes. Au revoir.",
        Sentence.NOT_SERVED: "Nous ne pouvons pas prendre votre appel pour le moment. Au revoir.",
        Sentence.NOBODY_THERE: "Désolé, personne n'est disponible.",
        Sentence.CUT_OFF: "Pardon, nous avons été coupés un instant.",
        Sentence.GO_ON: "Continuez, s'il vous plaît.",
        Sentence.GOODBYE: "Je dois terminer l'appel ici. Rappelez quand vous voulez. Au revoir.",
        Sentence.GONE: "Ce numéro n'est plus en service. Au revoir.",
    },
    "it": {
        Sentence.GREETING: "Grazie per aver chiamato {name}. Come posso aiutarla?",
        Sentence.STILL_THERE: "È ancora in linea?",
        Sentence.ONE_MOMENT: "Un momento, per favore.",
        Sentence.TROUBLE: "Mi dispiace, abbiamo un problema tecnico.",
        Sentence.PUT_THROUGH: "La metto in contatto.",
        Sentence.SAY_AGAIN: "Lo ripeta, per favore.",
        Sentence.LATER: "Richiami tra qualche minuto, per favore. Arrivederci.",
        Sentence.NOBODY_ANSWERED: "Se non ha risposto nessuno, richiami tra qualche minuto. Arrivederci.",
        Sentence.NOT_SERVED: "Al momento non possiamo rispondere alla sua chiamata. Arrivederci.",
        Sentence.NOBODY_THERE: "Mi dispiace, non c'è nessuno disponibile.",
        Sentence.CUT_OFF: "Mi scusi, è caduta la linea per un momento.",
        Sentence.GO_ON: "Continui, per favore.",
        Sentence.GOODBYE: "Devo chiudere qui la chiamata. Richiami quando vuole. Arrivederci.",
        Sentence.GONE: "Questo numero non è più attivo. Arrivederci.",
    },
    "pt": {
        Sentence.GREETING: "Obrigado por ligar para {name}. Em que posso ajudar?",
        Sentence.STILL_THERE: "Ainda está aí?",
        Sentence.ONE_MOMENT: "Um momento, por favor.",
        Sentence.TROUBLE: "Lamento, temos um problema técnico.",
        Sentence.PUT_THROUGH: "Vou passar a ligação.",
        Sentence.SAY_AGAIN: "Diga outra vez, por favor.",
        Sentence.LATER: "Volte a ligar daqui a alguns minutos, por favor. Até logo.",
        Sentence.NOBODY_ANSWERED: "Se ninguém atendeu, volte a ligar daqui a alguns minutos. Até logo.",
        Sentence.NOT_SERVED: "De momento não podemos atender a sua chamada. Até logo.",
        Sentence.NOBODY_THERE: "Lamento, não está ninguém disponível.",
        Sentence.CUT_OFF: "Desculpe, a ligação caiu por um momento.",
        Sentence.GO_ON: "Continue, por favor.",
        Sentence.GOODBYE: "Tenho de terminar aqui a chamada. Volte a ligar quando quiser. Até logo.",
        Sentence.GONE: "Este número já não está em serviço. Até logo.",
    },
    "nl": {
        Sentence.GREETING: "Bedankt voor het bellen naar {name}. Waarmee kan ik u helpen?",
        Sentence.STILL_THERE: "Bent u er nog?",
        Sentence.ONE_MOMENT: "Een ogenblik, alstublieft.",
        Sentence.TROUBLE: "Het spijt me, we hebben een technisch probleem.",
        Sentence.PUT_THROUGH: "Ik verbind u door.",
        Sentence.SAY_AGAIN: "Zegt u dat nog eens, alstublieft.",
        Sentence.LATER: "Belt u over een paar minuten nog eens. Tot ziens.",
        Sentence.NOBODY_ANSWERED: "Als niemand opnam, belt u dan over een paar minuten nog eens. Tot ziens.",
        Sentence.NOT_SERVED: "We kunnen uw oproep op dit moment niet aannemen. Tot ziens.",
        Sentence.NOBODY_THERE: "Het spijt me, er was niemand bereikbaar.",
        Sentence.CUT_OFF: "Excuus, de verbinding was even weg.",
        Sentence.GO_ON: "Gaat u verder, alstublieft.",
        Sentence.GOODBYE: "Ik moet het gesprek hier beëindigen. U kunt altijd weer bellen. Tot ziens.",
        Sentence.GONE: "Dit nummer is niet meer in gebruik. Tot ziens.",
    },
}


@dataclass(frozen=True, slots=True)
class Voice:
    """How a business sounds.

    Attributes:
        locale: Of its language, such as `de-DE`.
        name: What it is called.
        say: The voice as `<Say>` names it, such as `Polly.Vicki-Neural`; empty for the usual one.
        provider: Who speaks on the relay; empty for the usual one.
        relay: The provider's voice; empty for its usual one.
    """

    locale: str = "en-US"
    name: str = ""
    say: str = ""
    provider: str = ""
    relay: str = ""

    @classmethod
    def of(cls, business: Business | None) -> "Voice":
        """Return a business's voice; English where the business is not known.

        A voice is set as `<Say>` names it; any other is one of the relay's usual provider, and `<Say>` has none then.
        """
        if business is None:
            return cls()
        locale, voice = locale_of(business.language), business.voice
        # ConversationRelay has the provider apart from the voice.
        provider, _, named = voice.partition(".")
        if named and provider in VOICE_PROVIDERS:
            return cls(locale, business.name, voice, VOICE_PROVIDERS[provider], named)
        return cls(locale, business.name, relay=voice)

    def sentence(self, *sentences: Sentence) -> str:
        """Return sentences in this voice's language, or in English."""
        known = _SENTENCES.get(language_of(self.locale), _SENTENCES["en"])
        return " ".join(known[sentence].format(name=self.name) for sentence in sentences)


def sentence_in(language: str, sentence: Sentence) -> str:
    """Return a sentence that names no business, in a language or in English."""
    return _SENTENCES.get(language_of(language), _SENTENCES["en"])[sentence]


def locale_of(language: str) -> str:
    """Return the locale in which a language is heard and spoken, such as `de-DE` for `de`."""
    return language if "-" in language else LOCALES.get(language.lower(), "en-US")


def speaking(business: Business, language: str) -> Business:
    """Return a business as it sounds while an agent answers who speaks `language`; empty for its own.

    A voice that was chosen for one language does not speak another.
    """
    if not language or language == business.language:
        return business
    is_same = language_of(language) == language_of(business.language)
    return replace(business, language=language, voice=business.voice if is_same else "")


def on_the_phone(tenant: Tenant, marks: Mapping[str, str]) -> Business:
    """Return a business as it sounds when its phone is answered: with the voice of the agent that does.

    `marks` say in which version, where one is on trial (`Catalog.marks_of`).
    """
    return tenant.as_seen_by(tenant.agent(None, Channel.PHONE, marks))


def turned_away_words(business: Business, now: datetime) -> str:
    """Return what a caller hears who gets no conversation: that, and how else the business is reached, if it says so.

    They may be somebody whom a model was wrong about.
    """
    words, ways = Voice.of(business).sentence(Sentence.NOT_SERVED), Alternatives.of((), business, Channel.PHONE)
    if not (ways.number or ways.website):
        return words
    refusal, _, goodbye = words.rpartition(". ")
    return f"{refusal}. {plain(ways.said(business.language, now), business.language)} {goodbye}"


def unattended(business: Business, now: datetime) -> str:
    """Return what a caller hears whom nobody answers, however often they call: how else the business is reached."""
    voice, ways = Voice.of(business), Alternatives.of((), business, Channel.PHONE)
    if not (ways.number or ways.website):
        return voice.sentence(Sentence.NOT_SERVED)
    return f"{voice.sentence(Sentence.NOBODY_THERE)} {plain(ways.said(business.language, now), business.language)}"


def greeting(business: Business) -> str:
    """Return what a caller hears first."""
    return plain(business.greeting, business.language) or Voice.of(business).sentence(Sentence.GREETING)
