"""With whom, for how many, and who is free: what a sentence says of it is held against what is known here."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.model import Message
from switchboard.conversation.claims.company_claims import told_of_people
from switchboard.conversation.claims.facts import WITH_SOMEBODY, Evidence
from switchboard.conversation.claims.free_people import unknown_people
from switchboard.conversation.claims.party_words import parties_said
from switchboard.conversation.claims.people_marks import MARK, marked, parts_of
from switchboard.conversation.claims.people_words import LONGEST_READ, sure_parts
from switchboard.conversation.claims.when_words import only_tell_when
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.session import CallSession

# That it is booked, or that the caller and whoever comes along are expected: a classifier does not find each deed.
_EXPECTED = re.compile(
    r"\b(?:booked|reserved|confirmed|gebucht|reserviert|bestätigt|reservad\w+|confirmad\w+|réservée?s?|prenotat\w+"
    r"|geboekt|gereserveerd"
    r"|see you|seeing|look(?:ing)? forward|expect\w*|waiting for|wir freuen uns|freue mich|erwarten|sehen uns"
    r"|bis (?:dann|morgen|\w+tag)"
    r"|nos vemos|les? esper\w+|os esper\w+|esperamos|vous attend\w*|nous réjouissons|hâte de|vi aspett\w*"
    r"|la aspett\w*|ci vediamo|esperamos"
    r"|até|verwachten|kijken uit|tot)\b",
    re.I,
)
# What is done, or a second clause in which it may be.
_MORE = re.compile(
    r"[;]|:(?!\d)|\b(?:so|all set|done|moved|cancelled)\b|(?:book|reserv|réserv|confirm|schedul|gebucht"
    r"|eingetragen|notier|bestätigt|verschoben|verlegt|agendad|apuntad|anotad|cambiad|noté|déplacé|prenotat|geboekt)",
    re.I,
)
# Said of one of the people it tells that they do not work then; said of an appointment, that it is cancelled.
_OFF = re.compile(
    r"^\W*(?:(?:sorry|i'm afraid|unfortunately|actually|but|and|oh|no|well),?\s+){0,2}"
    rf"{MARK}(?:'s|\s+is)\s+(?:off|out|away)\b"
    r"(?P<when>[^;:?]*?)(?:,?\s+(?:i'm afraid|unfortunately|sorry|though))?\W*$",
    re.I,
)
_JOINED = re.compile(r",?\s(?:and|und|y|et|also|or|oder|o(?= a las? )|ou)\s", re.I)


def hold_untrue_company(
    business: Business | None,
    session: CallSession,
    known: Callable[[], Sequence[Evidence]],
    sentence: str,
    now: datetime,
    *,
    is_claim: bool,
) -> None:
    """Hold a sentence that says of people and parties what is not known.

    Args:
        business: Whose people they are.
        session: The conversation, with what its calls came to.
        known: Returns what was done, and which appointments there are.
        sentence: What is about to be said.
        now: Local.
        is_claim: Whether it says that something was booked, moved or cancelled, as far as is known already.

    Raises:
        Unfounded: It must not be said.
    """
    why = _untrue(business, session.history.messages, known, sentence, now, is_claim=is_claim)
    if why:
        told = f"You were about to say: {sentence!r}. Do not say it, and the caller has not heard it: {why}"
        raise Unfounded(sentence, told)


def says_only_who_is_off(business: Business | None, sentence: str) -> bool:
    """Tell whether a sentence says no more than that one of the people does not work then."""
    found = _OFF.search(marked(business, sentence[:LONGEST_READ]).text)
    return found is not None and only_tell_when(found["when"])


def says_only_who(business: Business | None, sentence: str, *, is_coming: bool) -> bool:
    """Tell whether a sentence says no more than that somebody is free, or, of what `is_coming`, who sees the caller."""
    if len(sentence) > LONGEST_READ or _MORE.search(sentence) is not None:
        return False
    says = False
    for part in parts_of(_JOINED.sub(", ", sentence)):
        if any(one.free or (is_coming and one.seeing) for one in told_of_people(business, part)):
            says = True
        elif not only_tell_when(part):
            return False
    return says


def _untrue(
    business: Business | None,
    messages: Sequence[Message],
    known: Callable[[], Sequence[Evidence]],
    sentence: str,
    now: datetime,
    *,
    is_claim: bool,
) -> str:
    """Return why a sentence must not be said, for the model; empty where it may be."""
    sentence = sentence[:LONGEST_READ]
    told = told_of_people(business, sentence)
    names = unknown_people(told, messages, known(), now) if told else ()
    people = {person.name for person in business.people} if business else set()
    strangers = [name for name in names if name not in people]
    if strangers:
        return f"nobody called {' or '.join(strangers)} is known here. Those who are: {', '.join(sorted(people))}."
    if names:
        who = " and ".join(names)
        if any({*one.seeing, *one.perhaps} & set(names) for one in told):
            return f"that the caller is with {who} then is not what was done or looked up here.{_done(known())}"
        return (
            f"that {who} is free then has not been looked up. Look it up with with_person, or say what the results "
            "above say."
        )
    is_told = is_claim or _EXPECTED.search(sentence) is not None
    parties = parties_said("".join(sure_parts(sentence))) if is_told else frozenset()
    booked = [item for item in (known() if parties else ()) if item.moments and item.deeds & WITH_SOMEBODY]
    if any(item.is_receipt for item in booked) and not any(item.is_for(parties, booked) for item in booked):
        return f"it is not for {' or '.join(map(str, sorted(parties)))}.{_done(booked)}"
    return ""


def _done(known: Sequence[Evidence]) -> str:
    done = [item.summary for item in known if item.is_receipt and item.summary]
    return f" What was done is: {'; '.join(done)}." if done else ""
