"""What results bear out beside deeds: when something ends, what a tool has said in refusing, and what was written down.

"So you're done by quarter to five" is worked out from the result; "that appointment was cancelled" stands in a
refusal; "Ich habe notiert, dass …" tells of the notes that went with what was done.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.error import ErrorType
from switchboard.contract.model import ToolMessage
from switchboard.conversation.claims.classifier import ClaimClassifier, ClaimTelling
from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.claims.facts import Evidence, ends_in, texts_in, words_of
from switchboard.conversation.claims.party_words import only_tell_when
from switchboard.conversation.claims.sentences import SENTENCE_END
from switchboard.conversation.session import CallSession, Receipt

_LEADS = r"(?:,\s*)?(?:\b(?:so|and|then|which means|also|und|dann|damit|así que|y|entonces|donc|et|alors)\s+){0,2}"
_ENDS_AT = re.compile(
    rf"{_LEADS}(?:\b(?:you|we|it|that)(?:'re|'s|'ll be| are| is| will be| should be)\s+(?:all\s+|back\s+)?(?:out|done"
    r"|finished|through|over|ready|free again|on your way)"
    r"|\b(?:it |that |which )?(?:ends|finishes|lasts|runs|goes)(?=\s+(?:at|by|until|till|to)\b)"
    r"|\b(?:er |es |der termin |das )?(?:endet|dauert|geht)(?=\s+(?:um|gegen|bis)\b)"
    r"|\b(?:termina(?:rá|remos)?|acaba(?:rá)?|sale|saldrá|estará (?:list[oa]|libre))(?=\s+(?:a|sobre|hacia|hasta)\b)"
    r"|\bvous (?:serez|êtes|aurez|sortirez)(?:\s+(?:donc|alors))?(?:\s+(?:prête?|libre|sortie?|terminé|fini))?"
    r"(?=\s+(?:à|vers)\b)"
    r"|\b(?:ça |il |cela )?(?:se termine|finit|termine|dure)(?=\s+(?:à|vers|jusqu'à)\b))"
    r"(?P<when>\s+[^,;!?]{1,60})",
    re.I,
)
_DONE_BY = re.compile(
    rf"{_LEADS}\b(?:sie\s+(?:sind|wären)|(?:sind|wären)\s+sie)\s+(?:dann\s+|also\s+|damit\s+)?"
    r"(?P<when>(?:um|gegen|bis|spätestens|ca)\b[^,;!?]{1,50}?)\s+(?:fertig|durch|draußen|wieder frei|wieder draußen)\b",
    re.I,
)
_BY = re.compile(
    r"^\s*(?:(?:by|at|around|about|until|till|to|um|gegen|bis|spätestens|ca|circa|sobre|hacia|hasta|a|à|vers|jusqu'à)"
    r"(?:\s+|\b(?='))){1,3}",
    re.I,
)
_LESS = re.compile(r"\b(?:menos|moins(?: le)?|forty|quarante)\b", re.I)
# What a refusal says was done is not done by whoever speaks.
_OWN_DEED = re.compile(
    r"\b(?:i(?:'ve| have|'ll| will)|we(?:'ve| have)|(?:habe|haben)\s+(?:ich|wir)|(?:ich|wir)\s+(?:habe|haben)|he|hemos"
    r"|j'ai|nous avons)\b",
    re.I,
)
_NOTED = re.compile(
    r"\b(?:noted|wrote down|written down|(?:added|put|made) (?:a|the|that|it|your) (?:note|in the note)\w*"
    r"|notiert|vermerkt|dazugeschrieben|aufgeschrieben|hinzugefügt|anotado|apuntado|añadido|noté|ajouté|inscrit)\b",
    re.I,
)
_MESSAGE = "message"
_THE_MESSAGE = (
    r"(?:(?:the|your|den|die|ihre|el|su|tu|le|votre|il|il suo|la|la sua|o|a|o seu|a sua|uw|het) )?"
    r"(?:message|nachricht|mensaje|recado|mot|messaggio|mensagem|bericht|boodschap)"
)
_WHOLE_NAME = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+"
# "Rosa recibirá su mensaje": what becomes of a message, and nothing that anybody does for the caller.
_GETS_IT = re.compile(
    rf"(?:(?<=^)|(?<=[,;] ))(?:(?:y|et|e|and|und)\s+)?(?:{_WHOLE_NAME}\s+(?:l[oa]\s+|le\s+|l')?"
    r"(?:recibirá|verá|leerá|recevra|verra|lira|riceverà|vedrà|leggerà|receberá|lerá|will (?:get|receive|see|read)"
    rf"|bekommt|erhält|krijgt)(?:\s+(?:{_THE_MESSAGE}|it|sie))?"
    rf"|(?:lo|la|le|l')\s*(?:recibirá|verá|leerá|recevra|verra|riceverà|vedrà)(?:\s+{_WHOLE_NAME})?)(?=\s*(?:[.,;!]"
    rf"|$))",
    re.I,
)
_IS_TAKEN = re.compile(
    r"^\W*(?:(?:perfecto|listo|vale|muy bien|parfait|très bien|voilà|perfetto|bene|perfeito|pronto|okay|ok|great"
    r"|perfect"
    r"|all right|gut|prima|alles klar|fatto|hecho|done)\b[\s,.!]*){0,2}"
    r"(?:(?:(?:ya )?(?:queda|está)|c'est|tout est|è|è stato|ho|l'ho|está|fica|ficou|it's|that's|all|(?:das )?ist"
    r"|is) )?(?:bien |tutto |alles )?"
    r"(?:apuntad[oa]|anotad[oa]|noté|notée|segnat[oa]|annotat[oa]|noted|notiert|vermerkt|registrad[oa]|anotei"
    r"|genoteerd)"
    rf"(?: {_THE_MESSAGE})?(?:,? (?:gracias|merci|grazie|thanks|thank you|danke|obrigad[oa]"
    rf"|bedankt))?(?:,? {_WHOLE_NAME})?\W*$",
    re.I,
)
_TO_SOMEBODY = re.compile(
    r"\b(?:pass(?:ed)?|t(?:ell|old)|inform(?:ed)?|sent|let\s+\w+\s+know|weiter\w+|gesagt|ausgerichtet|geschickt"
    r"|bescheid|avisado|dicho|enviado|transmis|prévenu|envoyé)\b",
    re.I,
)
_WRITTEN_DOWN = frozenset({Deed.PASSED_ON, Deed.OTHER, Deed.ENTERED})
_SAID_OF_NOTES = """
that you your will would like likes want wants need have has for the and with please note notes noted added made put
wrote written down ive been also able are there this into bring bringing come coming prefer appointment booking
reservation dass sie ihr ihre ihrem ihren ihrer ich habe haben wir eine einen einem einer ein den dem der das die ist
sind auch noch dazu bei beim zum zur für möchten wollen hätten gern gerne brauchen kommen mitbringen bevorzugen bitte
und mit notiert vermerkt dazugeschrieben aufgeschrieben hinzugefügt notiz termin buchung reservierung que usted quiere
desea prefiere necesita viene trae hemos una uno unos unas los las del con para por favor también anotado apuntado
añadido nota cita reserva vous votre vos souhaitez voulez désirez préférez venez avez avons les des une est êtes dans
aussi pour avec noté ajouté inscrit note rendez réservation
"""
_NO_CONTENT = frozenset(_SAID_OF_NOTES.split())
_STEM = 5
# Of "a" and "an" nothing is told; "nut" and "nuts" are one word.
_SHORTEST, _ENDINGS = 3, "sen"
# So certain it is that a refusal tells it.
_SURE = 0.9
# Refusals are ours, or a service's.
_LONGEST = 500


def without_end(sentence: str, session: CallSession, now: datetime) -> str:
    """Return a sentence without what it says, truly, of when something that a tool has told of ends.

    And without who gets a message, where one was taken.
    """
    if any(receipt.words.get("what") == _MESSAGE for receipt in session.receipts):
        sentence = _GETS_IT.sub("", sentence).strip(" ,;") or "."
    for pattern in (_ENDS_AT, _DONE_BY):
        for match in pattern.finditer(sentence):
            if _is_an_end(match["when"], session, now):
                return f"{sentence[: match.start()]}{sentence[match.end() :]}".strip(" ,") or "."
    return sentence


def _is_an_end(when: str, session: CallSession, now: datetime) -> bool:
    assert now.tzinfo is not None
    rest = _BY.sub("", when)
    said = mentions(f"at {rest.rstrip('. ')}", now)
    if len(said.clocks) != 1 or not only_tell_when(_LESS.sub(" ", rest)):
        return False
    return any(
        said.agree_with(moment) for data in session.tool_context.values() for moment in ends_in(data, now.tzinfo)
    )


def told_in_refusals(session: CallSession, reader: ClaimClassifier, sentence: str, now: datetime) -> Iterator[Evidence]:
    """Yield what tools have said was cancelled when they refused something; it bears out nothing that the speaker did.

    Of nothing else a refusal is evidence: "that time is booked" says nothing of the caller's own.
    """
    if _OWN_DEED.search(sentence) is not None:
        return
    for message in session.history.messages:
        failure = message.response.failure if isinstance(message, ToolMessage) else None
        is_conflict = failure is not None and failure.type is ErrorType.CONFLICT
        text = f"{' '.join(failure.message[:_LONGEST].split())} " if failure is not None and is_conflict else ""
        start = 0
        for end in SENTENCE_END.finditer(text):
            told, start = text[start : end.end()].strip(), end.end()
            reading = reader.read(told)
            is_sure = reading.certainty >= _SURE and reading.telling is ClaimTelling.DONE
            if is_sure and reading.claims == ((Deed.CANCELLED,),):
                yield Evidence(reading.deeds, (), words_of(told), told=mentions(told, now))


def says_it_is_taken(sentence: str, known: Iterable[Evidence]) -> bool:
    """Tell whether a sentence says no more than "Noted.", or that the message is, where one was taken in this turn."""
    is_taken = any(item.is_receipt and item.is_of_now and Deed.PASSED_ON in item.deeds for item in known)
    return is_taken and _IS_TAKEN.match(sentence) is not None


def tells_what_was_noted(sentence: str, deeds: tuple[Deed, ...], session: CallSession) -> bool:
    """Tell whether a sentence says no more than that something was noted, which went with what was done."""
    if not _WRITTEN_DOWN.issuperset(deeds) or _NOTED.search(sentence) is None:
        return False
    if _TO_SOMEBODY.search(sentence) is not None:
        return False
    said = {word for word in words_of(sentence) if len(word) >= _SHORTEST and word not in _NO_CONTENT}
    return bool(said) and any(_are_in(said, receipt) for receipt in session.receipts)


def _are_in(said: Iterable[str], receipt: Receipt) -> bool:
    """Tell whether each of these words went with what was done, or tells what that was: half of a note is none."""
    texts = texts_in([receipt.arguments, receipt.words])
    there = frozenset().union(*map(words_of, texts)) - _NO_CONTENT
    stems = {word[:_STEM] for word in there if len(word) >= _SHORTEST}
    return all(any(_is_one(word[:_STEM], stem) for stem in stems) for word in said)


def _is_one(stem: str, other: str) -> bool:
    short, long = sorted((stem, other), key=len)
    return long == short or (len(long) == len(short) + 1 and long.startswith(short) and long[-1] in _ENDINGS)
