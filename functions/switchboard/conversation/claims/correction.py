"""What a model is told that was about to say what nothing bears out."""

import re
from collections.abc import Sequence
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.fact_sources import Sources
from switchboard.conversation.claims.facts import Evidence
from switchboard.conversation.claims.sentences import reads_back
from switchboard.conversation.claims.statements.objections import objection
from switchboard.conversation.session import CallSession

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


def correction(
    sentence: str,
    deeds: Sequence[Deed],
    known: Sequence[Evidence],
    sources: Sources,
    at: tuple[Business | None, CallSession, datetime],
) -> str:
    """Return what the model is told: what is known instead, and never that nothing was done when something was.

    Args:
        sentence: What it was about to say.
        deeds: Which of the deeds that it claims nothing bears out.
        known: What was done, and found.
        sources: Which tools do what.
        at: Where and when it was about to be said: in which conversation of which business, and the local time.
    """
    alike = [item for item in known if item.deeds.difference(item.if_named).intersection(deeds)]
    done = [item.summary for item in known if item.is_receipt and item.summary]
    if not alike and any(item.deeds.intersection(deeds) for item in known):
        why = f"nothing was done now; what was before is: {'; '.join(done) or 'above'}; name it, if you mean that"
    elif alike and (wrong := objection(at[0], at[1], sentence, alike, at[2])):
        why = f"{wrong}; what was done is: {'; '.join(done) or 'as the results above say'}"
    elif alike:
        times = sorted({f"{moment:%A %Y-%m-%d %H:%M}" for item in alike for moment in item.moments})
        why = f"what was done is something else ({', '.join(times) or 'see the results above'})"
    elif done:
        why = f"of this nothing was done in this conversation; what was done is: {'; '.join(done)}"
    else:
        why = "nothing of the kind was done in this conversation, and no result says it"
    return (
        f"You were about to say: {sentence!r}. Do not say it: {why}, and the caller has not heard it. "
        f"{_remedy(sentence, deeds, sources)}"
    )


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
