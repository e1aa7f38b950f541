"""What a model is told that was about to say what nothing bears out."""

import re
from collections.abc import Iterator, Sequence

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.fact_sources import Sources
from switchboard.conversation.claims.facts import Evidence, in_order, services_named, words_of
from switchboard.conversation.claims.people_words import people_said
from switchboard.conversation.claims.sentences import reads_back
from switchboard.conversation.claims.statements.names_held import names_held
from switchboard.conversation.claims.statements.statement import SpokenStatement

# Who tells what there is, regrets, or asks, does not mean to do anything.
_ONLY_TELLS = re.compile(
    r"\?\W*$|^\W*(?:(?:yes|no|okay|ok|well|ja|nein|sí|oui|non),?\s+)?(?:(?:(?:i|we) (?:see|can see|found"
    r"|do(?: not|n't)|can(?:not|'t))"
    r"|i'm (?:so |very )?(?:sorry|afraid)|(?:so |very )?sorry|unfortunately|ich (?:sehe|finde)|(?:da )?sehe ich|leider"
    r"|(?:es )?tut mir|veo|encuentro|no (?:veo|encuentro)|lo siento|lamentablemente|je (?:vois|trouve|ne)|désolée?"
    r"|je suis désolée?|malheureusement)\b)"
    r"|\b(?:free|available|open|frei|verfügbar|libres?|disponibles?|free of charge|costs?|kostet|kostenlos|cuesta|coûte"
    r"|gratuite?|gratis)\b",
    re.I,
)


def correction(statement: SpokenStatement, deeds: Sequence[Deed], known: Sequence[Evidence]) -> str:
    """Return what the model is told: what is known instead, and never that nothing was done when something was.

    Args:
        statement: What it was about to say.
        deeds: Which of the deeds that it claims nothing bears out.
        known: What was done, and found.
    """
    sentence = statement.sentence
    alike = [item for item in known if item.deeds.difference(item.if_named).intersection(deeds)]
    done = [item.summary for item in known if item.is_receipt and item.summary]
    if not alike and any(item.deeds.intersection(deeds) for item in known):
        why = f"nothing was done now; what was before is: {'; '.join(done) or 'above'}; name it, if you mean that"
    elif alike and (wrong := _objection(statement, alike)):
        why = f"{wrong}; what was done is: {'; '.join(done) or 'as the results above say'}"
    elif alike:
        times = in_order(moment for item in alike for moment in item.moments)
        why = f"what was done is something else ({times or 'see the results above'})"
    elif done:
        why = f"of this nothing was done in this conversation; what was done is: {'; '.join(done)}"
    else:
        why = "nothing of the kind was done in this conversation, and no result says it"
    return (
        f"You were about to say: {sentence!r}. Do not say it: {why}, and the caller has not heard it. "
        f"{_remedy(sentence, deeds, statement.sources)}"
    )


def _objection(statement: SpokenStatement, alike: Sequence[Evidence]) -> str:
    """Return what a sentence says wrongly of what was done of its kind: whose, with whom or what it is, but not when.

    Empty where that is not known.
    """
    said = readings(statement.sentence, statement.now)
    then = [item for item in alike if any(one.agree_with(moment) for one in said for moment in item.moments)]
    each = [list(_wrong_in(statement, item, alike)) for item in then]
    return f"what was done is not {' and not '.join(each[0])}" if each and all(each) else ""


def _wrong_in(statement: SpokenStatement, item: Evidence, alike: Sequence[Evidence]) -> Iterator[str]:
    sentence, company = statement.sentence, people_said(statement.business, statement.sentence)
    named = dict.fromkeys(name for one in readings(sentence, statement.now) for name in one.names)
    for name in names_held(statement, tuple(named), company, alike):
        if not words_of(name) <= item.words:
            yield f"for {name}, nor under that name"
    for name in (*company.beside, *company.strangers):
        if not words_of(name) <= item.people:
            yield f"with {name}"
    for service in services_named(statement.business, sentence):
        if not words_of(service) <= item.words:
            yield f"a {service}"


def _remedy(sentence: str, deeds: Sequence[Deed], sources: Sources) -> str:
    if _ONLY_TELLS.search(sentence) is not None or reads_back(sentence):
        return "Nothing is to be called for this sentence: say what the results above say, or ask, in other words."
    tools = sources.tools_that_do(deeds)
    if not tools:
        return "Nothing that you can call here does it. Say what is true, and what you can do instead."
    return (
        "Say what is true. Only if the caller has asked for it, and agreed where that is needed, call the tool that "
        f"does it ({' or '.join(tools)})."
    )
