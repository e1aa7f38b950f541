"""What results bear out beside deeds: what a tool has said in refusing, and what was written down.

"That appointment was cancelled" stands in a refusal; "Ich habe notiert, dass …" tells of the notes that went with what
was done, and of each of the things that it names.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.error import ErrorType
from switchboard.contract.model import ToolMessage, UserMessage
from switchboard.conversation.claims.classifier import ClaimClassifier, ClaimTelling
from switchboard.conversation.claims.entities import mentions
from switchboard.conversation.claims.fact_sources import RECORDED
from switchboard.conversation.claims.facts import STANDING, Evidence, same_number, texts_in, words_of
from switchboard.conversation.claims.party_words import only_tell_visit, only_tell_when
from switchboard.conversation.claims.sentences import DENIED, NOT_SO, TELLS
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement
from switchboard.conversation.session import CallSession, Receipt
from switchboard.conversation.speech.callers_language import language_spoken
from switchboard.conversation.speech.sentence_ends import SENTENCE_END

# What a refusal says was done is not done by whoever speaks.
_OWN_DEED = re.compile(
    r"\b(?:i(?:'ve| have|'ll| will)|we(?:'ve| have)|(?:habe|haben)\s+(?:ich|wir)|(?:ich|wir)\s+(?:habe|haben)|he|hemos"
    r"|j'ai|nous avons)\b",
    re.I,
)
_NOTED = re.compile(
    r"\b(?:noted|wrote down|written down|(?:added|put|made) (?:a|the|that|it|your) (?:note|in the note)\w*"
    r"|notiert|vermerkt|dazugeschrieben|aufgeschrieben|hinzugefügt|anotad[oa]s?|apuntad[oa]s?"
    r"|añadid[oa]s?|noté|ajouté|inscrit)\b",
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
_OF_MESSAGE = re.compile(_THE_MESSAGE.split(" )?")[-1], re.I)
_TO_SOMEBODY = re.compile(
    r"\b(?:pass(?:ed)?|t(?:ell|old)|inform(?:ed)?|sent|let\s+\w+\s+know|weiter\w+|gesagt|ausgerichtet|geschickt"
    r"|bescheid|avisado|dicho|enviado|transmis|prévenu|envoyé)\b",
    re.I,
)
# "I have your number as …" tells what is known; "I corrected it" is a deed.
_HAS_IT = re.compile(
    r"\b(?:i|we|ich|wir|ik)(?:'ve got|'ve| have got| have| habe| haben| heb) (?:your|ihre?|uw)\b"
    r"|\b(?:habe|haben) (?:ich|wir)(?: hier)? (?:als|die)\b|\b(?:tengo|tenemos) su\b|\b(?:j'ai|nous avons) votre\b"
    r"|\b(?:ho|abbiamo) il suo\b|\b(?:tenho|temos) o seu\b",
    re.I,
)
_CHANGES_IT = re.compile(
    r"\b(?:correct|chang|updat|replac|sav|korrig|änder|geänder|aktualis|corri|cambi|actualiz|modifi|remplac|mis à"
    r"|aggiorn|alter|atualiz|mud|wijzig|gewijzig|aangepast)",
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
aussi pour avec noté ajouté inscrit note rendez réservation done got okay great perfect sure about down guest guests
person people alles klar prima gut super erledigt hat haben gast gäste person personen listo vale perfecto hecho bien
claro queda quedó quedado sobre persona personas invitado invitada comensal parfait fait voilà très personne personnes
convive sur
"""
_SAID_OF_LISTS = """
both two things thing everything else rest all beides beide zwei dinge alles übrige dos cosas cosa todo resto deux
choses chose tout reste wish wishes request wunsch wünsche deseo deseos petición souhait souhaits demande nach
"""
_NO_CONTENT = frozenset(_SAID_OF_NOTES.split())
# What a list is about, and what stands in every record, is no thing by itself.
_NO_THING = _NO_CONTENT | RECORDED | frozenset(_SAID_OF_LISTS.split())
_STEM, _COMPOUND = 5, 8
_LETTERS = re.compile(r"[^\W\d_]+")
_NOTE_TOLD = re.compile(
    r"\b(?:noted|wrote down|written down|jotted down|put down|passed(?: that| it)? on|added(?! value)"
    r"|made (?:a|the) note(?: of)?|notiert|vermerkt|dazugeschrieben|aufgeschrieben|hinzugefügt|festgehalten"
    r"|weitergegeben|ausgerichtet|anotad[oa]s?|apuntad[oa]s?|añadid[oa]s?|agregad[oa]s?|pasado|notée?s?|ajoutée?s?"
    r"|transmis(?:es?)?)(?!\w)",
    re.I,
)
_AND = (
    r"(?:(?:and|und|y|e|et|plus|sowie|as well as|als auch|wie auch|así como|ainsi que|along with|together with"
    r"|además de|de même que|en plus de|ebenso)\s+|ainsi qu')"
)
_BETWEEN_THINGS = re.compile(
    rf"\s*[,;:]\s*{_AND}?|\s+{_AND}|\s*&\s*|\s+[-\u2013]\s+",
    re.I,
)
# What is often wished for, a line each, by how its words begin in several languages.
_WISHED = tuple(
    tuple(line.split())
    for line in """
dog pupp hund welpe perr chien chiot cane cagnolin cão cachorr hond
chair highchair booster kinderst kinderhochst hochst kindersitz trona chaise rehaus seggiol cadeir
pram stroller buggy kinderwagen carrito cochecit poussette passeggin carrinho
wheelchair rollstuhl ruedas roulant rotelle rodas
window fenster ventan fenêtre vitr finestr janel glass
nut peanut walnut almond hazelnut nuss nüss erdnuss haselnuss nuez nuece cacahuete noix noisette arachide noci noce noz
gluten celiac coeliac zöliak celíac cœliaque
lactos laktos dairy milk milch leche lait latte leite
cake torte kuchen geburtstagstorte tarta pastel gâteau gateau torta bolo
quiet calm silen ruhig leise tranquil
vegan vegetari végét
outside outdoor terrac terras terraza patio draußen dehors garden garten jardin
""".strip().splitlines()
)
_BETWEEN_NOTES = re.compile(rf"[,;:.!/&\n]|\s{_AND}|\s[-\u2013]\s", re.I)
# What is clear is read in one language, whichever was spoken before.
_ANY_TWO = ("en", "de")
_NOTE_LEADS = re.compile(
    r"^\W*(?:(?:(?:perfect|great|okay|ok|done|sure|good|gut|prima|perfekt|bien|perfecto|parfait|très bien|so|also|too"
    r"|both|auch|noch|zudem|sowohl|gerne?|también|además|aussi|également|i|we|i've|we've|have|ich|wir|habe|haben|das|ihnen|dir|he"
    r"|hemos|(?:le|les|te) (?:he|hemos)|j'ai|nous|avons|je|vous|ai|just|now|jetzt|ya|down|is|are|was|were|been|has|ist"
    r"|sind|wurden?|está[ns]?|son|queda[ns]?|est|sont|(?:a|ont) été)(?=\s|$))\s*)+",
    re.I,
)
_BESIDE_THING = re.compile(
    r"\s+(?:to|for|on|in|with|zu|zum|zur|für|bei|beim|in|im|auf|con|en|para|a|à|dans|sur|pour|avec)\s+(?:the|your|it|that"
    r"|ihr\w*|de[rnm]|das|die|su|la|el|tu|votre|vos|ton|ta|le|les)\b.*$|\s+(?:is|are|was|were|have been|has been|ist"
    r"|sind|wurden?|está[ns]?|han sido|ha sido|quedan?|est|sont|ont été|a été)\s*(?:both|all|beide|auch|todos?|tous)?"
    r"(?:\s+(?:for you|für sie|para usted|pour vous))?\s*$"
    r"|\s+(?:for you|für sie|para usted|pour vous|too|as well|auch|también|aussi)\s*$",
    re.I,
)
_DETERMINED = re.compile(
    r"^(?:the|an?|your|some|one|two|her|his|their|d(?:er|en|em|ie|as|es)|ein\w*|ihr\w*|dein\w*|zwei|el|la|los|las|una?|unos"
    r"|unas|sus?|tus?|dos|les?|l'|une?|des|du|votre|vos|ton|ta|tes|deux)(?:\s|(?<='))",
    re.I,
)
_THAT = re.compile(r"^(?:that|dass|que|qu')(?:\s|(?<='))", re.I)
_OWN_VERB = re.compile(
    r"\b(?:i|we|he|she|they|ich|wir|er|es|nous|je|on|will|looks?|knows?|gets?|comes?|stays?|remains?|takes?|see|wird|werden"
    r"|kommt|weiß|freu\w*|bleibt|bis|danke|thanks?|gracias|merci|hasta|team|kitchen|küche|equipo|équipe|kollegen|colleagues"
    r"|staff|esper\w+|attend\w+|updated|changed|told|asked|made|called|moved|aktualisiert|geändert|actualizad\w|cambiad\w"
    r"|modifiée?s?)\b|'ll\b",
    re.I,
)
_BUT = re.compile(
    r"\b(?:but|only|except|without|aber|nur|außer|ohne|pero|solo|sólo|salvo|sin|mais|seulement|sauf|sans)\b", re.I
)
_MOST_OF_A_THING, _MOST_BARE = 7, 3
# Of "a" and "an" nothing is told; "nut" and "nuts" are one word.
_SHORTEST, _ENDINGS = 3, "sen"
# So certain it is that a refusal tells it.
_SURE = 0.9
# Refusals are ours, or a service's.
_LONGEST = 500


def without_receiver(sentence: str, session: CallSession) -> str:
    """Return a sentence without who gets a message, where one was taken."""
    if any(receipt.words.get("what") == _MESSAGE for receipt in session.receipts):
        return _GETS_IT.sub("", sentence).strip(" ,;") or "."
    return sentence


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


def tells_what_was_booked(statement: SpokenStatement) -> bool:
    """Tell whether a sentence without a verb means what was booked in this turn: "a table for six on Friday"."""
    sentence = statement.sentence
    if len(sentence) > LONGEST_STATEMENT or sentence.endswith("?") or not only_tell_visit(sentence):
        return False
    return any(item.is_receipt and item.is_of_now and item.deeds & STANDING for item in statement.known())


def says_it_is_taken(sentence: str, known: Iterable[Evidence]) -> bool:
    """Tell whether a sentence says no more than "Noted." of what was done in this turn, or of a message taken then."""
    if _IS_TAKEN.match(sentence) is None:
        return False
    is_message = _OF_MESSAGE.search(sentence) is not None
    return any(
        item.is_receipt and item.is_of_now and (not is_message or Deed.PASSED_ON in item.deeds) for item in known
    )


def tells_what_was_noted(sentence: str, deeds: tuple[Deed, ...], session: CallSession) -> bool:
    """Tell whether a sentence says no more than that something was noted, which went with what was done."""
    if not _WRITTEN_DOWN.issuperset(deeds) or _NOTED.search(sentence) is None:
        return False
    if _TO_SOMEBODY.search(sentence) is not None:
        return False
    said = {word for word in words_of(sentence) if len(word) >= _SHORTEST and word not in _NO_CONTENT}
    if not said:
        # "Das habe ich dazugeschrieben."
        return any(receipt.turn == session.facts.turn and notes_of(receipt) for receipt in session.receipts)
    return any(_are_in(said, receipt) for receipt in session.receipts)


def tells_own_number(sentence: str, deeds: tuple[Deed, ...], session: CallSession, now: datetime) -> bool:
    """Tell whether a sentence says no more than by which number or address a caller is known, who has told it."""
    said = mentions(sentence, now)
    is_known = _HAS_IT.search(sentence) is not None and _CHANGES_IT.search(sentence) is None
    is_of_record = is_known and _WRITTEN_DOWN.issuperset(deeds) and not words_of(sentence).isdisjoint(RECORDED)
    if not is_of_record or not (said.numbers or said.addresses):
        return False
    heard = (one.text for one in session.history.messages if isinstance(one, UserMessage))
    texts = [*heard, *texts_in([receipt.arguments for receipt in session.receipts])]
    known = [mentions(text[:_LONGEST], now) for text in texts]
    numbers = [number for one in known for number in one.numbers]
    addresses = {address for one in known for address in one.addresses}
    are_known = all(any(same_number(number, one) for one in numbers) for number in said.numbers)
    return are_known and addresses.issuperset(said.addresses)


def hold_half_noted(statement: SpokenStatement) -> None:
    """Hold a sentence that tells several things as noted, of which one stands in what was noted, and another nowhere.

    What was noted may be told in other words: where as many things are left in it, or it is in another language, the
    sentence is let be.

    Raises:
        Unfounded: It must not be said.
    """
    sentence, session = statement.sentence, statement.session
    if sentence.endswith("?") or len(sentence) > _LONGEST or not session.receipts:
        return
    things = _things_noted(sentence)
    if len(things) < 2:
        return
    notes, known = _stems_of([receipt.arguments for receipt in session.receipts]), session.tool_context.values()
    known_stems = notes | _stems_of([*(receipt.words for receipt in session.receipts), *known])
    strange = [thing for thing in things if not _shares(thing, known_stems)]
    if strange and any(_shares(thing, notes) for thing in things):
        noted = [text for receipt in session.receipts for text in notes_of(receipt)]
        others = [part for part in _parts_of(noted) if not any(_shares(thing, _stems_of(part)) for thing in things)]
        if _may_be_others(strange, others) or _are_in_two_languages(sentence, " ".join(noted)):
            return
        unknown = "; ".join(" ".join(thing) for thing in strange)
        raise statement.refused(
            f"{unknown} was not noted in these words, and the rest was. Say what was noted, as it was; only if the "
            "caller has asked for something else, note it first."
        )


def notes_of(receipt: Receipt) -> list[str]:
    """Return the texts that went with what was done and do not only say what, when, for whom or with whom it was."""
    known = frozenset().union(*map(words_of, texts_in(receipt.words)))
    return [text[:_LONGEST] for text in texts_in(receipt.arguments) if not words_of(text) <= known]


def _parts_of(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield what each thing in notes is, in the words that say so."""
    for text in texts:
        for part in _BETWEEN_NOTES.split(text):
            content = content_of(part)
            if content:
                yield content


def content_of(text: str) -> list[str]:
    """Return the words of a text that say what it is about, and not when, or that it was noted."""
    words = [word for word in map(str.casefold, _LETTERS.findall(text)) if len(word) >= _SHORTEST]
    return [word for word in words if word not in _NO_THING and not only_tell_when(word)]


def _may_be_others(strange: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> bool:
    """Tell whether each thing may be one of others in other words: what both are known to be does not differ."""
    left = [meant_by(other) for other in others]
    for meant in map(meant_by, strange):
        same = next((other for other in left if meant & other), None)
        if same is None:
            same = next((other for other in left if not meant or not other), None)
        if same is None:
            return False
        left.remove(same)
    return True


def meant_by(thing: Sequence[str]) -> frozenset[int]:
    """Return which of what is often wished for a thing is; empty where nobody has listed it."""
    return frozenset(n for n, stems in enumerate(_WISHED) if any(word.startswith(stems) for word in thing))


def _are_in_two_languages(one: str, other: str) -> bool:
    """Tell whether two texts are in languages that differ for certain."""
    languages = [{language_spoken(text, now) for now in _ANY_TWO} for text in (one, other)]
    return all(len(known) == 1 for known in languages) and languages[0] != languages[1]


def _things_noted(sentence: str) -> list[list[str]]:
    """Return the things that a sentence tells as noted, each as the words that say what it is."""
    parts = [part for part in _BETWEEN_THINGS.split(sentence) if part and part.strip()]
    noted = [n for n, part in enumerate(parts) if _NOTE_TOLD.search(part)]
    if not noted or DENIED.search(sentence) is not None or _BUT.search(sentence) is not None:
        return []
    if NOT_SO.search(_NOTE_TOLD.split(parts[noted[0]])[0]) is not None:
        # "I can have it noted."
        return []
    things = list[list[str]]()
    texts = [_BESIDE_THING.sub("", _NOTE_LEADS.sub("", _NOTE_TOLD.sub(" ", part)).strip(" .!")) for part in parts]
    is_bare = _DETERMINED.search(texts[noted[0]]) is None
    for at, step in ((noted[0], 1), (noted[0] - 1, -1)):
        while 0 <= at < len(texts):
            text = texts[at]
            if text and not _is_a_thing(text, is_bare=is_bare):
                break
            content = content_of(text)
            things += [content] if content else []
            at += step
    return things


def _is_a_thing(text: str, *, is_bare: bool) -> bool:
    """Tell whether a part of a list names a thing, and is no sentence of its own; `is_bare`: as the others do."""
    if _THAT.search(text) is not None:
        return True
    if TELLS.search(text) is not None or _OWN_VERB.search(text) is not None:
        return False
    count = len(text.split())
    return count <= _MOST_OF_A_THING if _DETERMINED.search(text) is not None else is_bare and count <= _MOST_BARE


def _stems_of(data: object) -> frozenset[str]:
    texts = texts_in(data)
    return frozenset(
        word[:_STEM] if len(word) < _COMPOUND else word
        for word in frozenset().union(*map(words_of, texts))
        if len(word) >= _SHORTEST and word not in _NO_CONTENT
    )


def _shares(thing: Sequence[str], stems: frozenset[str]) -> bool:
    """Tell whether a thing is told with one of these words, or with a word that one of them is made of."""
    return any(
        _is_one(word[:_STEM], stem[:_STEM])
        or (len(stem) >= _STEM - 1 and stem in word)
        or (len(word) >= _STEM - 1 and word in stem)
        for word in thing
        for stem in stems
    )


def _are_in(said: Iterable[str], receipt: Receipt) -> bool:
    """Tell whether each of these words went with what was done, or tells what that was: half of a note is none."""
    texts = texts_in([receipt.arguments, receipt.words])
    there = frozenset().union(*map(words_of, texts)) - _NO_CONTENT
    stems = {word[:_STEM] for word in there if len(word) >= _SHORTEST}
    return all(any(_is_one(word[:_STEM], stem) for stem in stems) for word in said)


def _is_one(stem: str, other: str) -> bool:
    short, long = sorted((stem, other), key=len)
    return long == short or (len(long) == len(short) + 1 and long.startswith(short) and long[-1] in _ENDINGS)
