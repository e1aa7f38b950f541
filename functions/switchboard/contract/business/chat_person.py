"""A person of the business who answers in a chat instead of the model: what the chat's record says of them.

The record's field `answeringPerson` says who has taken the chat over, and is gone once they have handed it back. They
have also left where they let the visitor wait for too long, or where silence ended the chat: that follows from the
record and the time alone, so that no visitor waits for a page that was forgotten or an instance that has died.

What they write stands in the transcript under a role of its own, and so does that they came and left. Each of these
entries has a turn's number of its own: whoever holds the conversation sees by the next number that others have written.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from switchboard.contract.business.languages import language_of
from switchboard.contract.channel import Channel
from switchboard.contract.document import integer, mapping, moment, objects_of, text
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import PERSON_ANSWERS_WITHIN_S
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.record_parts import SILENCE_NOTED_AT
from switchboard.contract.store import DELETE_FIELD

ANSWERING_PERSON: Final = "answeringPerson"
"""The field of a record that says who answers in its chat: `{at, by, name, turn, language}`."""
PERSON: Final = "person"
"""The role of an entry that a person of the business wrote: with `id`, `name` as the visitor reads it, and `by`."""
NOTICE: Final = "notice"
"""The role of an entry that says that somebody came or left: with `notice`, which is one of `Notice`."""
_ANSWERS_WITHIN = timedelta(seconds=PERSON_ANSWERS_WITHIN_S)
_MINUTES = round(PERSON_ANSWERS_WITHIN_S / 60)


class Notice(StrEnum):
    """What a notice in a transcript says."""

    TAKEN_OVER = "taken_over"
    HANDED_BACK = "handed_back"
    LEFT = "left"
    """The person has let the visitor wait for too long."""


_SOMEBODY = {
    "en": "a person of {business}",
    "de": "eine Person von {business}",
    "es": "una persona de {business}",
    "fr": "une personne de {business}",
    "it": "una persona di {business}",
    "pt": "uma pessoa de {business}",
    "nl": "een medewerker van {business}",
}
# Where a chat goes on: written, or spoken through the same browser; what is told on a phone line is not for it.
_HERE = (None, Channel.PORTAL, Channel.BROWSER_VOICE)
_BY_VOICE = {
    "en": "{who} answers you here in writing now, and not the AI assistant. What you say reaches them; their answer "
    "stands in the chat.",
    "de": "{who} antwortet Ihnen hier jetzt schriftlich, und nicht der KI-Assistent. Was Sie sagen, kommt dort an; die "
    "Antwort steht im Chat.",
    "es": "{who} le responde aquí ahora por escrito, y no el asistente de IA. Lo que usted diga le llega; la respuesta "
    "está en el chat.",
    "fr": "{who} vous répond ici par écrit maintenant, et non l'assistant IA. Ce que vous dites lui parvient ; la "
    "réponse est dans le chat.",
    "it": "{who} Le risponde qui ora per iscritto, e non l'assistente IA. Quello che dice arriva lì; la risposta è "
    "nella chat.",
    "pt": "{who} responde-lhe aqui agora por escrito, e não o assistente de IA. O que disser chega lá; a resposta está "
    "no chat.",
    "nl": "{who} antwoordt u hier nu schriftelijk, en niet de AI-assistent. Wat u zegt, komt daar aan; het antwoord "
    "staat in de chat.",
}
_NOTICES = {
    Notice.TAKEN_OVER: {
        "en": "Now {who} answers you, and not the AI assistant. If nobody writes for {minutes} minutes, the assistant "
        "goes on.",
        "de": "Jetzt antwortet Ihnen {who} und nicht der KI-Assistent. Schreibt {minutes} Minuten lang niemand, macht "
        "der Assistent weiter.",
        "es": "Ahora le responde {who} y no el asistente de IA. Si nadie escribe durante {minutes} minutos, sigue el "
        "asistente.",
        "fr": "C'est maintenant {who} qui vous répond, et non l'assistant IA. Si personne n'écrit pendant {minutes} "
        "minutes, l'assistant reprend.",
        "it": "Ora Le risponde {who} e non l'assistente IA. Se nessuno scrive per {minutes} minuti, continua "
        "l'assistente.",
        "pt": "Agora responde-lhe {who} e não o assistente de IA. Se ninguém escrever durante {minutes} minutos, o "
        "assistente continua.",
        "nl": "Nu antwoordt {who} u en niet de AI-assistent. Schrijft er {minutes} minuten lang niemand, dan gaat de "
        "assistent verder.",
    },
    Notice.HANDED_BACK: {
        "en": "The AI assistant goes on.",
        "de": "Der KI-Assistent macht weiter.",
        "es": "Sigue el asistente de IA.",
        "fr": "L'assistant IA reprend.",
        "it": "Continua l'assistente IA.",
        "pt": "O assistente de IA continua.",
        "nl": "De AI-assistent gaat verder.",
    },
    Notice.LEFT: {
        "en": "Nobody has written for {minutes} minutes. The AI assistant goes on.",
        "de": "Seit {minutes} Minuten hat niemand geschrieben. Der KI-Assistent macht weiter.",
        "es": "Nadie ha escrito durante {minutes} minutos. Sigue el asistente de IA.",
        "fr": "Personne n'a écrit depuis {minutes} minutes. L'assistant IA reprend.",
        "it": "Da {minutes} minuti nessuno ha scritto. Continua l'assistente IA.",
        "pt": "Há {minutes} minutos que ninguém escreve. O assistente de IA continua.",
        "nl": "Er heeft {minutes} minuten lang niemand geschreven. De AI-assistent gaat verder.",
    },
}


@dataclass(frozen=True, slots=True)
class ChatPerson:
    """Who answers in a chat, as its record says at a moment.

    Attributes:
        name: Who they are, as the visitor reads it; empty for nobody in particular.
        by: Their account, as the audit names it; empty where nobody has taken the chat over.
        at: Since when (aware, UTC); None where nobody has.
        language: In which the visitor is told of it.
        gives_way_at: When the model goes on unless they write before; None while nobody waits for them.
        has_left: Whether they have let the visitor wait until then, or the chat has ended meanwhile.
        leaves_waiting: Whether they are gone, and what the visitor wrote last has had no answer from anybody.
        written_turn: The turn in which the visitor wrote last; 0 before they have.
    """

    name: str = ""
    by: Mapping[str, Any] | None = None
    at: datetime | None = None
    language: str = ""
    gives_way_at: datetime | None = None
    has_left: bool = False
    leaves_waiting: bool = False
    written_turn: int = 0

    @property
    def is_answering(self) -> bool:
        """Whether they answer now, so that no model does."""
        return self.at is not None and not self.has_left

    def told_by_voice(self, business: str) -> str:
        """Return what somebody is told who speaks while they answer in writing; `business` is what it is called."""
        spoken = language_of(self.language)
        words = _BY_VOICE.get(spoken, _BY_VOICE["en"])
        somebody = _SOMEBODY.get(spoken, _SOMEBODY["en"]).format(business=business)
        who = f"{self.name} ({business})" if self.name else somebody
        return words.replace("{who}", who[:1].upper() + who[1:])

    @property
    def leaving_fields(self) -> JsonObject:
        """The fields of the record that change with the turn that goes on without them."""
        return {ANSWERING_PERSON: DELETE_FIELD} if self.has_left else {}

    def leaving_rows(self, turn: int, now: datetime) -> list[JsonObject]:
        """Return what is written down with that turn, of this number."""
        if not self.has_left:
            return []
        is_late = self.gives_way_at is not None and now >= self.gives_way_at
        return [notice_row(Notice.LEFT if is_late else Notice.HANDED_BACK, self.language, turn, now)]


NOBODY: Final = ChatPerson()


def chat_person(record: Mapping[str, Any], now: datetime) -> ChatPerson:
    """Return who answers in the chat of a record at a moment (aware)."""
    fields = mapping(record.get(ANSWERING_PERSON))
    at, rows = moment(fields.get("at")), written_rows(record)
    if at is None:
        return ChatPerson(leaves_waiting=_is_left_waiting(rows, has_left=False), written_turn=_written_turn(rows))
    waits_since = _waits_since([row for row in rows if integer(row.get("turn")) > integer(fields.get("turn"))], at)
    gives_way_at = waits_since + _ANSWERS_WITHIN if waits_since is not None else None
    # A phone call whose link leads here may end as it likes.
    silence_at = moment(record.get(SILENCE_NOTED_AT))
    is_over = moment(record.get("endedAt")) is not None and silence_at is not None and silence_at >= at
    has_left = is_over or (gives_way_at is not None and now >= gives_way_at)
    return ChatPerson(
        text(fields.get("name")),
        mapping(fields.get("by")),
        at,
        text(fields.get("language")),
        gives_way_at,
        has_left,
        _is_left_waiting(rows, has_left),
        _written_turn(rows),
    )


def is_chat(record: Mapping[str, Any]) -> bool:
    """Tell whether the human of a record wrote in the portal last: there a person can answer them.

    One that a person has taken over stays one, also where the human speaks through the browser meanwhile.
    """
    callers = [row for row in objects_of(record.get("transcript")) if row.get("role") == "caller"]
    said_on = (callers[-1].get("channel") if callers else None) or record.get("channel")
    is_taken = moment(mapping(record.get(ANSWERING_PERSON)).get("at")) is not None
    return said_on == Channel.PORTAL or (said_on == Channel.BROWSER_VOICE and is_taken)


def notice_row(notice: Notice, language: str, turn: int, at: datetime, who: str = "", business: str = "") -> JsonObject:
    """Return the entry of a transcript that says that somebody came or left, in the visitor's language.

    Args:
        notice: What it says.
        language: The visitor's (RFC 5646); English where there are no words in it.
        turn: The number that it takes.
        at: When (aware).
        who: The person's name, empty for nobody in particular.
        business: What the business is called.
    """
    spoken = language_of(language)
    words = _NOTICES[notice].get(spoken, _NOTICES[notice]["en"])
    somebody = f"{who} ({business})" if who else _SOMEBODY.get(spoken, _SOMEBODY["en"]).format(business=business)
    told = words.replace("{who}", somebody).replace("{minutes}", str(_MINUTES))
    return {
        "role": NOTICE,
        "notice": notice.value,
        "text": told,
        "turn": turn,
        "at": at,
        "channel": Channel.PORTAL.value,
    }


def told_to_model(row: Mapping[str, Any]) -> str:
    """Return what the model is told of an entry of these roles: a person's words, marked as theirs, or that they came.

    What they say they did is no receipt: the model may name it as theirs, and not claim it.
    """
    if row.get("role") == PERSON:
        who = f"{text(row.get('name'))}, a person of the business," if row.get("name") else "A person of the business"
        return (
            f"{who} wrote the following to the caller. These are that person's words and not yours, and what it says "
            f"was done, that person did and not you: \u201c{text(row.get('text'))}\u201d"
        )
    if row.get("notice") == Notice.TAKEN_OVER:
        return "From here on a person of the business answered the caller, and you did not."
    return (
        "The person of the business does not answer any more, and you do. Go on from what was written. Do not repeat "
        "it, and do not claim what that person said or did for yourself."
    )


def written_rows(record: Mapping[str, Any]) -> list[JsonObject]:
    """Return what stands in the transcript of a record's chat, in the order of its turns; spoken there, or written."""
    rows = [row for row in objects_of(record.get("transcript")) if row.get("channel") in _HERE]
    # An answer that was under way when somebody took over is written down behind what they wrote.
    return sorted(rows, key=lambda row: integer(row.get("turn")))


def _waits_since(rows: Sequence[Mapping[str, Any]], taken_at: datetime) -> datetime | None:
    """Return since when the visitor waits for the person, by the rows since that one came; None while nobody waits."""
    is_waited_for: datetime | None = taken_at
    for row in rows:
        if row.get("role") == PERSON:
            is_waited_for = None
        elif row.get("role") == "caller" and is_waited_for is None:
            is_waited_for = moment(row.get("at"))
    return is_waited_for


def _written_turn(rows: Iterable[Mapping[str, Any]]) -> int:
    return max((integer(row.get("turn")) for row in rows if row.get("role") == "caller"), default=0)


def _is_left_waiting(rows: Iterable[Mapping[str, Any]], has_left: bool) -> bool:
    for row in reversed(list(rows)):
        role = row.get("role")
        if role == "caller":
            return has_left
        if role == NOTICE:
            has_left = has_left or row.get("notice") != Notice.TAKEN_OVER
        elif not row.get("filler"):
            return False
    return False
