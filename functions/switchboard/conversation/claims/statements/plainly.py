"""What a sentence says in so many words, where what stands around it hides that it says so.

"As I said, it is already booked", "Did you know that you are booked?" and "That failed, so I booked Tuesday instead"
tell that something was done; read with all their words they sound like a rule, a question, or a failure.
"""

import re
from collections.abc import Iterable

from switchboard.contract.definitions.definition import Deed
from switchboard.contract.model import Message, ToolMessage
from switchboard.conversation.claims.classifier import ClaimClassifier, ClaimReading, ClaimTelling, plain_text
from switchboard.conversation.claims.party_words import only_tell_hours, only_tell_when
from switchboard.conversation.claims.sentences import DENIED, before_question, clauses_of
from switchboard.conversation.claims.several import OfOne
from switchboard.conversation.claims.statements.statement import IN_CASE, LONGEST_STATEMENT

# What leads up to what is told, in a statement as in a question that asks nothing.
_LEADS = re.compile(
    r"^\W*(?:(?:as|like) (?:i|we)(?:'ve| have)?(?: just| already)? (?:said|told you|mentioned|discussed|agreed)"
    r"|let me(?: just)? (?:say|tell you|repeat)(?: that)?|status|update|result"
    r"|(?:would|can) you believe(?: it)?(?: or not)?|believe it or not|(?:did|do) you know(?: that)?|guess what"
    r"|wie (?:gesagt|erwähnt|besprochen|vereinbart)|stand|(?:wussten|wissen) sie(?: schon)?,? dass"
    r"|como (?:(?:ya )?(?:le )?(?:dije|he dicho|decía|mencioné)|acordamos)|estado|¿?sab(?:ía|e)s?(?: usted)? que"
    r"|comme (?:je (?:vous )?l'ai dit|je l'ai dit|dit|convenu|je disais)|saviez-vous que|savez-vous que"
    r"|come (?:(?:le )?(?:ho )?(?:già )?detto|(?:le )?dicevo|d'accordo)|(?:lo )?sapeva che"
    r"|como (?:(?:lhe |eu )?(?:disse|falei)|combinado)|sabia que"
    r"|zoals (?:ik )?(?:al )?(?:zei|gezegd|besproken|afgesproken)|wist u(?: al)? dat)(?!\w)[\s,:;-]*",
    re.I,
)
# Without them the same is said, if it was said of what is the caller's own.
_EARLIER = re.compile(r"\s\b(?:already|schon|bereits|déjà|già|al reeds)(?!\w)", re.I)
_TOO = re.compile(
    r",?\s\b(?:too|as well|also|auch|ebenfalls|también|aussi|également|anche|também|ook)(?=\s*[.,!;]|\s*$)", re.I
)
# "Rosa is already booked" and "ten is booked too" tell of others.
_OF_CALLER = re.compile(
    r"\b(?:it|it's|you|your|that|appointment|es|ihre?|sie|termin|cita|está|estaba|tiene|su|votre|vous|rendez-vous|c'est"
    r"|c'était|suo|sua|seu|appuntamento|marcação|uw|u|afspraak)(?!\w)",
    re.I,
)
_BY_SPEAKER = re.compile(r"\b(?:i|we|you|ich|wir|sie|he|hemos|le|j'ai|nous|vous|ho|la|eu|ik|wij|u)\b", re.I)
_GERMAN_END = re.compile(r"^(?P<who>sie|ihr termin|der termin|es|alles) (?P<what>.{1,80}) (?P<verb>sind|ist)\W*$", re.I)
_DONE = re.compile(
    r"\bi(?:'ve| have)? (?:done|did) (?:all |everything )?(?:that |what )?you(?:'ve)? asked(?: me)?(?: for)?\b",
    re.I,
)
_NEED_NOT_COME = re.compile(
    r"\byou (?:(?:don't|do not) (?:have|need) to come(?: in)? (?:any ?more|any longer)"
    r"|no longer (?:have|need) to come)\b",
    re.I,
)
_THAT_VISIT = re.compile(
    r"\b(?P<have>you have|sie haben|tiene|vous avez|ha|tem|u heeft) (?:that|this|the|den|diesen|esa|esta|ce|cet|questo"
    r"|quell'|essa|esta|die|deze) ?(?P<thing>appointment|booking|reservation|termin|cita|reserva|rendez-vous"
    r"|réservation|appuntamento|prenotazione|marcação|afspraak)\b",
    re.I,
)
# What callers come for, as each of them may be called: "votre coupe est mercredi" tells when an appointment is.
_OWN_THING = tuple(
    (re.compile(rf"^(?P<lead>\W*(?:\w+,\s)?){own} (?:{things})(?P<then> (?:{verbs}) .{{1,60}})$", re.I), thing)
    for own, things, verbs, thing in (
        ("votre", r"(?:coupe|couleur|coloration|visite|séance)(?: de cheveux)?", "est|sera", "votre rendez-vous"),
        ("uw", "knipbeurt|kleuring|bezoek|behandeling", "is", "uw afspraak"),
    )
)
_VERB = re.compile(r"^ \w+ ")
# That there is room, and nothing that was made.
_COVERED = re.compile(r"\bwe(?:'ve| have)(?: got)? you covered\b", re.I)
_OWN_VISIT = {
    "you have": "your {} is booked.",
    "sie haben": "Ihr {} ist gebucht.",
    "tiene": "su {} está reservada.",
    "vous avez": "votre {} est réservé.",
    "ha": "il suo {} è prenotato.",
    "tem": "a sua {} está marcada.",
    "u heeft": "uw {} is geboekt.",
}
_HELP = re.compile(
    r"\b(?:i(?:'ve| have)?(?: just| already)? (?:called|sent|alerted|dialled|dialed) (?:for )?(?:an |the )?(?:ambulance"
    r"|paramedics|police|fire (?:brigade|department)|emergency services|911|nine one one)|help is on (?:the|its) way"
    r"|hilfe ist (?:schon )?unterwegs|(?:he llamado|llamé) a (?:una ambulancia|emergencias|la policía|los bomberos)"
    r"|la ayuda está en camino|j'ai appelé (?:une ambulance|les secours|le samu|les pompiers|la police)"
    r"|ho chiamato (?:un'ambulanza|i soccorsi|la polizia)|(?:l'aiuto|l'ambulanza) sta arrivando"
    r"|chamei (?:uma ambulância|a polícia|os bombeiros)|a ajuda está a caminho|hulp is onderweg"
    r"|ik heb (?:een ambulance|de politie|112) gebeld)(?!\w)",
    re.I,
)
_HOLD_FOR = re.compile(
    r"^\W*(?:(?:okay|sure|of course|one moment),? )?(?:please )?(?:hold(?: on| the line)?|stay on the line) for "
    r"(?P<who>(?-i:[A-ZÀ-ÖØ-Þ])[\w'-]+)\W*$",
    re.I,
)
_TERSE = re.compile(r"^\W*(?P<when>[^\W\d_]{2,12}\.? \d{1,2}:\d\d) (?:ok|okay|done|✓)\W*$", re.I)
# Behind what did not come about, what did is told in a clause of its own.
_FAILED = re.compile(
    r"\b(?:failed|(?:didn't|did not) (?:work|go through)|fehlgeschlagen|(?:hat|ging) (?:leider )?nicht (?:geklappt"
    r"|funktioniert)?|falló|ha fallado|no (?:funcionó|ha funcionado)|a échoué|n'a pas (?:marché|fonctionné)"
    r"|non ha funzionato|è fallito|falhou|não funcionou|mislukt|lukte niet)(?!\w)",
    re.I,
)
_JOINS = re.compile(
    r"^\W*(?:(?:so|but|and|then|deshalb|aber|und|dann|así que|pero|y|luego|entonces|donc|mais|et|alors|ma|quindi|e|poi"
    r"|mas|então|dus|maar|en|toen)\s+){1,3}",
    re.I,
)
_JOINED_ANEW = re.compile(r",? (?=(?:so|but then|and then) )", re.I)
_SURE, _CERTAIN = 0.95, 0.9
_IS_BOOKED = re.compile(r"^(?P<when>[^.;?!]{1,40}) (?:is|are) (?:booked|reserved)\W*$", re.I)
_DEED_WORDS = (
    (Deed.BOOKED, r"booked|reserved|gebucht|reserviert|reservad[oa]|réservée?|prenotat[oa]|marcad[oa]|geboekt"),
    (Deed.CANCELLED, r"cancell?ed|storniert|abgesagt|anulad[oa]|annulée?|annullat[oa]|cancelad[oa]|geannuleerd"),
    (Deed.MOVED, r"moved|rescheduled|verschoben|verlegt|déplacée?|spostat[oa]|verzet|verplaatst"),
    (Deed.PAID, r"paid(?: for)?|bezahlt|pagad[oa]|payée?|pagat[oa]|pag[oa]|betaald"),
    (Deed.TEXTED, r"texted"),
    (Deed.MAILED, r"e-?mailed"),
    (Deed.REFUNDED, r"refunded|erstattet|reembolsad[oa]|remboursée?|rimborsat[oa]|terugbetaald"),
)
_ANY_DEED = rf"(?:{'|'.join(words for _, words in _DEED_WORDS)})"
_WORDS = tuple((deed, re.compile(rf"\b(?:{words})(?!\w)", re.I)) for deed, words in _DEED_WORDS)
# Several deeds in a row, told of one thing: not "appointments are booked and paid online".
_LISTED = re.compile(
    r"(?:^\W*|[:,] |\b(?:it is|it's|that's|that is|everything is|you're|you are|das ist|es ist|alles|ist|está|queda|ya"
    r"|c'est|est|è|ficou|het is)\s+)"
    rf"(?P<deeds>{_ANY_DEED}(?:, {_ANY_DEED}){{0,3}},? (?:and|und|y|et|e|en) {_ANY_DEED})(?!\w)",
    re.I,
)


def told_plainly(reader: ClaimClassifier, sentence: str, this_turn: Iterable[Message]) -> OfOne | None:
    """Return what a sentence claims in so many words, where it is not read as a claim as it stands; None elsewhere.

    Args:
        reader: Reads both.
        sentence: In plain marks.
        this_turn: What was heard and looked up: "it is already booked" may tell of a time that others have.
    """
    if len(sentence) > LONGEST_STATEMENT or reader.read(sentence).claims:
        return None
    text = _without_leads(sentence, this_turn)
    if text == sentence or text.endswith("?") or IN_CASE.search(text) is not None:
        return None
    return OfOne(text, 1) if reader.read(text).claims else None


def parted(reader: ClaimClassifier, sentence: str) -> tuple[str, str] | None:
    """Return what a sentence claims for certain before it asks something, and what it asks; None for any other."""
    told, asked = before_question(sentence) if len(sentence) <= LONGEST_STATEMENT else ("", sentence)
    reading = reader.read(as_appointment(" ".join(plain_text(told).split()))) if told.strip() else None
    is_claim = reading is not None and reading.telling is ClaimTelling.DONE and reading.certainty >= _CERTAIN
    return (told, asked) if is_claim and reading is not None and reading.claims else None


def as_appointment(sentence: str) -> str:
    """Return a sentence that tells when a caller's "coupe" is as one of their appointment, and of room as of room."""
    sentence = _COVERED.sub("we have room", sentence)
    for pattern, thing in _OWN_THING:
        match = pattern.match(sentence)
        if match is not None and only_tell_hours(_VERB.sub("", match["then"])):
            return f"{match['lead']}{thing}{match['then']}"
    return sentence


def deeds_listed(sentence: str, reading: ClaimReading) -> ClaimReading:
    """Return a reading of a sentence in which each deed of a row is claimed: "booked, texted and e-mailed"."""
    match = _LISTED.search(sentence) if len(sentence) <= LONGEST_STATEMENT and not sentence.endswith("?") else None
    if match is None or DENIED.search(sentence) is not None or IN_CASE.search(sentence) is not None:
        return reading
    claims = tuple((deed,) for deed, words in _WORDS if words.search(match["deeds"]) is not None)
    if len(claims) < 2:
        return reading
    return ClaimReading(claims, ClaimTelling.DONE, max(reading.certainty, _SURE))


def _without_leads(sentence: str, this_turn: Iterable[Message]) -> str:
    text = _LEADS.sub("", sentence)
    if text != sentence:
        text = text.replace("?", ".")
        end = _GERMAN_END.match(text)
        text = f"{end['who']} {end['verb']} {end['what']}." if end is not None else text
    elif sentence.endswith("?") or DENIED.search(_NEED_NOT_COME.sub(" ", sentence)) is not None:
        return sentence
    if _OF_CALLER.search(text) is not None and not any(_looks_for_free_times(message) for message in this_turn):
        text = _EARLIER.sub("", text)
    if _BY_SPEAKER.search(text) is not None:
        text = _TOO.sub("", text)
    visit = _THAT_VISIT.search(text)
    for pattern, plainly in (
        (_DONE, "I have done it"),
        (_NEED_NOT_COME, "your appointment is cancelled"),
        (_HELP, "I called an ambulance for you"),
        (_HOLD_FOR, r"I'm transferring you to \g<who> now."),
        (_TERSE, r"you're booked for \g<when>."),
    ):
        text = pattern.sub(plainly, text)
    if visit is not None:
        text = _OWN_VISIT[visit["have"].lower()].format(visit["thing"])
    return _behind_failure(text)


def _behind_failure(text: str) -> str:
    """Return the last clause of a text that tells of a failure before it; any other text as it is."""
    clauses = clauses_of(_JOINED_ANEW.sub("; ", text))
    if len(clauses) < 2 or not any(_FAILED.search(clause) for clause in clauses[:-1]):
        return text
    last = _JOINS.sub("", clauses[-1])
    booked = _IS_BOOKED.match(last)
    if booked is not None and only_tell_when(booked["when"]):
        return f"you're booked for {booked['when']}."
    return last


def _looks_for_free_times(message: Message) -> bool:
    data = message.response.data if isinstance(message, ToolMessage) else None
    return data is not None and not data.keys().isdisjoint(("available", "free", "openTimes"))
