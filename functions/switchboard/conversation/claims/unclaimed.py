"""Which sentences sound like a claim and are none: who is off, that a time is free or taken, that nothing was found."""

import re
from collections.abc import Callable, Iterator

from switchboard.contract.model import ToolMessage
from switchboard.conversation.claims.classifier import ClaimReading, ClaimTelling
from switchboard.conversation.claims.company_check import says_only_who_is_off
from switchboard.conversation.claims.free_words import without_free
from switchboard.conversation.claims.people_marks import MARKS, marked
from switchboard.conversation.claims.sentences import clauses_of, run_of, without_quotes
from switchboard.conversation.claims.several import PLANTED
from switchboard.conversation.claims.statements.chosen_times import asks_for_details, names_chosen_time
from switchboard.conversation.claims.statements.statement import SpokenStatement
from switchboard.conversation.claims.statements.who_is_in import without_presence
from switchboard.conversation.claims.taken_words import is_refused_now, without_taken

_THING = (
    r"(?:appointments?|bookings?|reservations?|visits?|tables?|termine?|buchung(?:en)?|reservierung(?:en)?|citas?"
    r"|reservas?"
    r"|rendez-vous|réservations?)"
)
# Not "I don't see why your appointment …".
_NONE_FOUND = re.compile(
    rf"\b(?:i|we)\s+(?:do not|don't|cannot|can't|couldn't|could not)\s+(?:see|find|have)"
    rf"\s+(?:an?|any|your|that|the)\s+(?:\w+\s+){{0,2}}{_THING}\b"
    rf"|\b(?:sehe|finde|habe|sehen|finden|haben)\s+(?:ich\s+|wir\s+)?(?:\w+\s+){{0,4}}keinen?\s+(?:\w+\s+)?{_THING}\b"
    rf"|\bno\s+(?:veo|encuentro|tengo|vemos|encontramos)\s+(?:ningun[oa]\s+|su\s+)?(?:\w+\s+)?{_THING}\b"
    rf"|\bne\s+(?:vois|trouve|voyons|trouvons)\s+(?:pas|aucune?)\s+(?:de\s+|votre\s+)?{_THING}\b",
    re.I,
)
# What this conversation comes back to, rather than somebody to the caller.
_BACK_TO_IT = re.compile(
    r"\s?(?:(?:and|but|then|so|sure|okay|yes),? )?(?:i|we)(?:'ll| will| can) (?:\w{1,12} )?(?:get|come|go) back to"
    r" (?:that|this|it|(?:your|the) (?:\w{1,20} )?(?:question|point)s?)(?: (?:about|on|for)(?: \w{1,20}){1,3})?"
    r"(?: (?:(?:in (?:just )?(?:a|one) )?(?:moment|minute|second)|right away|shortly|later|afterwards|next|then))?"
    r"[\s.,;!]{0,3}",
    re.I,
)
# "Tout de suite." is said while something is looked for, and promises no more than a moment does.
_AT_ONCE = re.compile(
    r"\W*(?:(?:sure|of course|okay|yes|natürlich|gerne?|klar|ja|claro|vale|sí|por supuesto|bien sûr|d'accord|oui|certo"
    r"|sì|volentieri|sim|com certeza|natuurlijk|goed)\b\W{1,3}){0,2}"
    r"(?:right away|at once|straight away|sofort|gleich|ahora mismo|enseguida|en seguida|tout de suite|de suite"
    r"|immédiatement|à l'instant|subito|immediatamente|já|imediatamente|direct|meteen)"
    r"(?:\W{1,3}(?:please|bitte|por favor|s'il vous plaît|per favore|alstublieft))?\W*",
    re.I,
)

# What an owner has changed was changed by nobody here.
_TERMS_CHANGED = re.compile(
    r"\b(?:prices?|costs?|lengths?|duration|preise?|kosten|dauer|precios?|duración|prix|tarifs?|durée|prezz[oi]|durata"
    r"|preços?|duração|prijs|prijzen|duur)\b[^.;!?]{0,80}\b(?:changed|gone|risen|went|geändert|gestiegen|gesunken"
    r"|erhöht|cambiado|cambió|subido|bajado|changé|augmenté|baissé|cambiat[oa]|aumentat[oa]|mudou|mudado|aumentou"
    r"|gewijzigd|veranderd|gestegen)\b"
    r"|\b(?:now|jetzt|ahora|maintenant|ora|agora|nu)\b[^.;!?]{0,20}\d"
    r"|\b(?:gone|went) (?:up|down) (?:from|to) [$€£]?\s?\d"
    r"|\d[^.;!?]{0,40}\b(?:now|not|instead|jetzt|nicht|statt|ahora|no|maintenant|pas|ora|non|agora|não|nu|niet)\b",
    re.I,
)
TOO_SOON = re.compile(
    rf"\b(?:your|the|ihr|der|su|la|votre|le)\s*{_THING}\s+(?:is|ist|es|está|est)\s+"
    r"(?:already\s+|schon\s+|déjà\s+|ya\s+)?"
    r"(?:sooner|closer|earlier|nearer|less than|within|too (?:soon|close)|früher|näher|weniger als|in weniger|zu nah"
    r"|antes|más cerca|dentro de|en menos|a menos|demasiado|plus tôt|plus proche|dans moins|trop)\b"
    r"|\b(?:may|might|could|would|can|will|kann|könnte|würde|puede|podría|peut|pourrait)\b[^.;!?]{0,30}\b(?:count as"
    r"|be (?:counted|treated) as|als|como|comme)\s+(?:an?\s+|eine?\s+|una?\s+|une\s+)?(?:late\s+)?"
    r"(?:cancell?ation|absage|stornierung|cancelación|anulación|annulation)\b",
    re.I,
)
"""That a change may cost because of when something is: a warning, whatever "your appointment is" sounds like."""


def claims_nothing(statement: SpokenStatement, read: Callable[[str], ClaimReading], before: str) -> bool:
    """Tell whether a sentence that is read as a claim says only such a thing.

    Args:
        statement: What is about to be said.
        read: Reads what is left of it.
        before: What was said before it.
    """
    sentence = statement.sentence
    if asks_for_details(sentence) and names_chosen_time(statement):
        return True
    if _AT_ONCE.fullmatch(sentence) or says_only_who_is_off(statement.business, sentence):
        return True
    return any(rest is not None and not read(rest).claims for rest in _rests(statement, before))


def _rests(statement: SpokenStatement, before: str) -> Iterator[str | None]:
    """Yield a sentence without the clauses that say each of these things; None where none does."""
    sentence, business, messages = statement.sentence, statement.business, statement.session.history
    yield _without(_NONE_FOUND, sentence)
    yield _without(TOO_SOON, sentence)
    yield _without(_BACK_TO_IT, sentence, is_whole=True)
    if any(isinstance(one, ToolMessage) and one.response.meta.get("reason") == "changed" for one in messages.messages):
        yield _without(_TERMS_CHANGED, sentence)
    yield without_presence(statement)
    yield without_free(business, messages.messages, sentence, statement.now)
    if not before.endswith("?"):
        # "Your old booking? It is gone."
        is_refused = is_refused_now(messages.this_turn, statement.sources)
        # Who is asked for is as taken as the time.
        named = MARKS.sub("", marked(business, sentence).text) if is_refused else sentence
        yield without_taken(named, is_refused=is_refused)


def is_quoted(statement: SpokenStatement, read: Callable[[str], ClaimReading], reading: ClaimReading) -> bool:
    """Tell whether a sentence claims nothing but what stands, in these words, in the business's own texts.

    A promise may be the business's own. What is told as done for certain no text bears out: it may have been
    planted there to be repeated.
    """
    if reading.certainty >= PLANTED and reading.telling is not ClaimTelling.PROMISED:
        return False
    texts = [run_of(text) for text in statement.sources.texts(statement.session, statement.business)]
    rest = without_quotes(clauses_of(statement.sentence), texts)
    return rest is not None and not read(rest).claims


def _without(pattern: re.Pattern[str], sentence: str, *, is_whole: bool = False) -> str | None:
    """Return a sentence without the clauses that say this, or nothing but this; None where there are none."""
    clauses, finds = clauses_of(sentence), pattern.fullmatch if is_whole else pattern.search
    left = [clause for clause in clauses if finds(clause) is None]
    return "".join(left) if len(left) < len(clauses) else None
