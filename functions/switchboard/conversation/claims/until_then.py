"""When a caller is told to come, without a word of what was done: "See you Wednesday!", "Tuesday at three, then."."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import Evidence
from switchboard.conversation.claims.party_words import only_tell_when
from switchboard.conversation.claims.people_words import sure_parts
from switchboard.conversation.claims.sentences import clauses_of
from switchboard.conversation.guard import Unfounded

_LONGEST = 200
_STANDS = frozenset({Deed.BOOKED, Deed.MOVED, Deed.ENTERED})
_OPENING = (
    r"(?:(?:and|so|then|well|great|perfect|lovely|okay|ok|alright|right|good|thanks|thank you|excellent"
    r"|wonderful|fine|super"
    r"|und|dann|also|gut|prima|perfekt|danke|vielen dank|y|entonces|gracias|muy bien|perfecto|vale|et"
    r"|alors|merci|parfait"
    r"|très bien|e|allora|grazie|bene|perfetto|então|obrigad[oa]|perfeito|en|dan|goed|bedankt|dank u)\b[\s,.!]*)"
)
_MEETING = re.compile(
    rf"^\W*{_OPENING}{{0,4}}(?:(?:we|i)(?:'ll| will|'re| are| look)?\s+)?(?:see you"
    rf"|(?:looking )?forward to (?:seeing|welcoming)"
    r" you|wir sehen uns|sehen wir uns|(?:wir freuen uns|freue mich) auf|nos vemos|(?:les?|l[oa]s?|te"
    r"|os) esper(?:o|amos)"
    r"|on se voit|(?:on|nous) vous attend\w*|ci vediamo|(?:la|vi) aspett\w+|vemo-nos|nos vemos|esperamos"
    r"|(?:we|ik) zien? (?:u|je)"
    r"|zie (?:u|je))\b(?P<when>[^;?]*)",
    re.I,
)
# The whole sentence, but for a farewell: "A las nueve" tells an hour.
_UNTIL = re.compile(
    rf"^\W*{_OPENING}{{0,4}}(?:bis|hasta|à|a(?! las?\b)|até|tot) (?P<when>[^,;.!]{{1,60}})"
    r"(?:[,;.!]{1,3} ?\w{0,20}(?: \w{1,20}){0,2})? ?[.!]{0,3}$",
    re.I,
)
_IF = re.compile(r"\b(?:provided|assuming|vorausgesetzt|siempre que|à condition|purché|desde que|mits)\b", re.I)
_OPENS = re.compile(rf"^\W*{_OPENING}+", re.I)
# "Até quarta": the days that are numbers elsewhere.
_PORTUGUESE_DAY = re.compile(r"\b(até|na|à)\s+(segunda|quarta|quinta)\b(?!-)", re.I)
_SETTLES = re.compile(
    r"\b(?:then|it is|dann|entonces|alors|donc|allora|quindi|então|dan|dus)\b|^\W*(?:perfect|lovely"
    r"|wonderful|excellent"
    r"|prima|perfekt|super|perfecto|parfait|perfetto|perfeito)\b",
    re.I,
)
_STRETCH = re.compile(r"\b(?:to|till|until|through|bis|hasta|jusqu'à|fino a|até|tot)\b", re.I)
_IT_IS = re.compile(r"\b(?:it is|it's|that's|es)\b", re.I)
# Behind these nothing comes any more that would do it.
_CLOSES = re.compile(
    r"\b(?:(?:good)?bye|see you|have a (?:nice|great|good|lovely)|take care|anything else|something else"
    r"|tschüss|auf wieder\w+"
    r"|schönen? (?:tag|abend|nachmittag)|bis (?:dann|bald)|sonst noch|adiós|que tenga|hasta (?:luego|pronto)|algo más"
    r"|au revoir|bonne (?:journée|soirée)|autre chose|arrivederci|buona (?:giornata|serata)|qualcos'altro"
    r"|tchau|tenha um"
    r"|mais alguma|tot ziens|fijne dag|nog iets)\b",
    re.I,
)


def hold_wrong_goodbye(sentence: str, heard: str, known: Callable[[], Sequence[Evidence]], now: datetime) -> None:
    """Hold a goodbye until another time than any at which something is known to be.

    Whoever has nothing here may come by without an appointment: then nothing is known of it.

    Args:
        sentence: What is about to be said, which claims nothing else.
        heard: What the caller said last.
        known: Returns what was done, and which appointments there are.
        now: Local.

    Raises:
        Unfounded: It must not be said.
    """
    when = _goodbye_until(sentence[:_LONGEST], is_answer=heard.rstrip().endswith("?"))
    spoken_times = [one for one in readings(when, now) if one.says_day] if when else []
    if not spoken_times:
        return
    items = [item for item in known() if item.moments]
    there = [moment for item in items if item.deeds & _STANDS for moment in item.moments]
    gone = [moment for item in items if Deed.CANCELLED in item.deeds and item.is_receipt for moment in item.moments]
    agrees = any(one.agree_with(moment) for one in spoken_times for moment in there or gone)
    if not agrees if there else agrees:
        times = ", ".join(sorted({f"{moment:%A %Y-%m-%d %H:%M}" for moment in there}))
        raise Unfounded(
            sentence,
            f"You were about to say: {sentence!r}. Do not say it, and the caller has not heard it: "
            + (f"nothing is known to be then; what is, is {times}." if there else "what was then is cancelled."),
        )


def settles_a_time(sentence: str, known: Callable[[], Sequence[Evidence]], now: datetime) -> bool:
    """Tell whether a sentence says no more than that it will be then, and nothing that is known is."""
    if len(sentence) > _LONGEST or sentence.endswith("?") or _SETTLES.search(sentence) is None:
        return False
    if _STRETCH.search(sentence) is not None:
        # When something is open.
        return False
    rest = _IT_IS.sub(" ", _OPENS.sub("", sentence))
    spoken_times = readings(f"at {rest}", now)
    # A time of day alone answers what time it is.
    if (
        not only_tell_when(rest)
        or len(spoken_times) != 1
        or len(spoken_times[0].clocks) != 1
        or not spoken_times[0].says_day
    ):
        return False
    return not any(one.agree_with(moment) for one in spoken_times for item in known() for moment in item.moments)


def closes(sentence: str) -> bool:
    """Tell whether a sentence ends what was spoken of: a goodbye, or "anything else?"."""
    return _CLOSES.search(sentence) is not None


@lru_cache(maxsize=1_000)
def _goodbye_until(sentence: str, *, is_answer: bool) -> str:
    """Return until when a sentence bids goodbye; empty where it does not, or may answer how long something is."""
    if sentence.endswith("?") or _IF.search(sentence) is not None:
        return ""
    sure = "".join(sure_parts(_PORTUGUESE_DAY.sub(r"\1 \2-feira", sentence)))
    meeting_times = [match["when"] for match in map(_MEETING.search, (sure, *clauses_of(sure))) if match is not None]
    until = None if is_answer else _UNTIL.search(sure)
    if until is not None and only_tell_when(until["when"]):
        meeting_times.append(until["when"])
    return f"at {meeting_times[0]}" if meeting_times else ""
