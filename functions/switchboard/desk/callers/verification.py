"""Who is calling: the level that a business asks for, and what it takes on each channel to reach it.

Seed 004 ("Special Tool Behaviors"): on the phone a caller may be matched by the number alone, in the portal never. The
number counts only where the carrier vouches for it in full and the business has agreed. Everybody else tells two facts
of one record. Tries are counted before anything is compared, and an unknown person costs the same trips to the store,
and gets the same words, as a known one who is not this caller. Where a code is asked for as well, nobody is told before
it is right whether what they said fits anybody.

Who guesses is bound, and not whom they guess at: once a name or a fact was tried too often in a day, facts alone verify
nobody who tells it. Then a code is asked for as well, or a number on file that the carrier vouches for.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import field, fields, replace
from datetime import date
from typing import Final, Literal

from switchboard.contract.business.business import Business
from switchboard.contract.caller.caller_identity import Level, Standing, level_of, place_of, read_standing
from switchboard.contract.caller.strangers import attested_number, vouched_number
from switchboard.contract.context import CallContext
from switchboard.contract.document import text
from switchboard.contract.error import ErrorType, ToolError, unreadable
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.session_use import in_use
from switchboard.contract.store import Set, StoreError
from switchboard.desk.callers.callers import Caller, Callers, name_key, same_person
from switchboard.desk.callers.one_time_codes import OneTimeCodes
from switchboard.desk.callers.told_facts import told
from switchboard.desk.contact.phone import caller_number, to_e164
from switchboard.desk.limits.claim import tallied

TRIES_PER_SESSION: Final = 5
TRIES_PER_DAY: Final = 10
_OTHERS: Final = ("phone", "email", "date_of_birth", "booking_reference")
_RECORDS = "records of callers"

Outcome = Literal[
    "verified", "code_needed", "facts_needed", "no_match", "out_of_tries", "not_asked_for", "no_codes", "not_today"
]
"""What came of it. `no_match`, `code_needed`, `no_codes` and `not_today`, which says that these facts verify nobody any
more today, say the same of a stranger and of a known caller."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a try.

    Attributes:
        outcome: One of the closed list.
        level: What the business asks for.
        caller: Who it is; only where all that the business asks for was shown.
        tries_left: How many more this session has, where one was used.
        missing: Which facts to ask for, where there are too few, or others were told too often.
    """

    outcome: Outcome
    level: Level
    caller: Caller | None = field(default=None, repr=False)
    tries_left: int | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Looked:
    """Whose facts they are, and whether they were tried too often today, which is counted of nobody's facts as well."""

    caller: Caller | None
    is_spent: bool


class Verification:
    """Establishes who a caller is."""

    def __init__(self, store: Store, callers: Callers, codes: OneTimeCodes) -> None:
        """Look into `callers`; a match that still needs a code is left to `codes`."""
        self._store, self._callers, self._codes = store, callers, codes

    async def verify(self, ctx: CallContext, given: SaidFacts) -> Verdict:
        """Find out who is calling, by the phone number or by facts, and write it into the session.

        Nothing said: by the number, on the phone. Something said: by the name and one more fact, on every channel.

        Raises:
            ToolError: VALIDATION for a fact that cannot be one, which is no try; TRANSIENT when the store does not
                answer, with partial side effects where the standing may have been written.
        """
        level = level_of(ctx.business.caller_verification)
        if given.is_empty and await self.is_known(ctx):
            return Verdict("verified", level)
        if level == "code" and not await self._codes.can_be_sent(ctx.business):
            # Before anything is asked or counted: no fact leads to a code that nobody can send.
            return Verdict("no_codes", level)
        if given.is_empty:
            return await self._without_facts(ctx, level)
        if not given.is_enough:
            return _too_few(level, given)
        known = given.read(ctx.business)
        try:
            tries_left = TRIES_PER_SESSION - await self._tried(ctx)
            if tries_left < 0:
                return Verdict("out_of_tries", level, tries_left=0)
            # One that was misheard is told once more; whoever tells a third tries what might be right.
            facts = await told(self._store, ctx, name_key(known.name), known.others())
            is_guessed = not facts.compared
            known = known if is_guessed else known.only(facts.compared)
            looked = await self._by_facts(ctx, known, is_guessed=is_guessed)
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        if looked.is_spent or level == "code":
            return await self._by_code(ctx, level, looked.caller, None if is_guessed else _counted_for(known))
        if looked.caller is not None:
            return await self._established(ctx, level, looked.caller)
        others = tuple(name for name in _OTHERS if name not in facts.spent) if facts.spent else ()
        if tries_left == 0 or facts.spent.issuperset(_OTHERS):
            # Without a fact that would still be compared, asking for one leads nowhere.
            return Verdict("out_of_tries", level, tries_left=0)
        return Verdict("no_match", level, tries_left=tries_left, missing=others)

    async def _without_facts(self, ctx: CallContext, level: Level) -> Verdict:
        """Find out who is calling where nothing is said."""
        caller = await self._by_number(ctx)
        if caller is None:
            missing = _too_few(level, SaidFacts())
            # Nothing needs it but what somebody booked in an earlier conversation.
            return replace(missing, outcome="not_asked_for") if level == "none" else missing
        # Of the number that the network vouches for, who calls from it may learn that it is on file.
        return await (self._awaiting_code(ctx, caller) if level == "code" else self._established(ctx, level, caller))

    async def _by_code(self, ctx: CallContext, level: Level, caller: Caller | None, counted_for: str | None) -> Verdict:
        """Leave it to a code whether the facts are the caller's: the answer is the same for nobody.

        Args:
            ctx: The call.
            level: What the business asks for; less than a code where the facts were tried too often today.
            caller: Whose facts they are.
            counted_for: By what codes are counted then; None for guesses.
        """
        number = vouched_number(ctx.facts)
        if level != "code" and caller is not None and number is not None and number in caller.numbers:
            # They have shown two things at once, which nobody else can.
            return await self._established(ctx, level, replace(caller, phone=caller_number(number)))
        if level != "code" and not await self._codes.can_be_sent(ctx.business):
            return Verdict("not_today", level)
        if counted_for is None:
            # Nothing was found out by a guess: what was told before it still holds, with the code that was sent for it.
            return Verdict("code_needed", level)
        return await self._awaiting_code(ctx, caller, counted_for)

    async def is_known(self, ctx: CallContext) -> bool:
        """Tell whether this conversation has shown already who is calling: a model may well ask twice.

        Raises:
            ToolError: TRANSIENT; the store does not answer.
        """
        if ctx.facts.caller_verified:
            return True
        try:
            session = await self._store.get(ctx.paths.document("sessions", ctx.facts.session_id))
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        standing = read_standing(session)
        level = level_of(ctx.business.caller_verification)
        return standing is not None and standing.counts(ctx.now, ctx.facts, level)

    async def _by_number(self, ctx: CallContext) -> Caller | None:
        """Return the one caller on file whose number is calling, if that may be believed, with that number first."""
        number = attested_number(ctx.facts, ctx.business)
        if number is None:
            return None
        try:
            callers = await self._callers.of_number(ctx.paths, number)
        except StoreError as error:
            raise unreadable(_RECORDS, error) from error
        # A number that a family shares does not say which of them is calling; one without a name is nobody known.
        if len(callers) != 1 or not callers[0].name:
            return None
        # Of several on file it is the one that is proven, which they are reached on, and which a code goes to.
        return replace(callers[0], phone=caller_number(number))

    async def _tried(self, ctx: CallContext) -> int:
        """Count a try; return how many this conversation has had."""
        path = ctx.paths.document("tickets", f"matches-of-session:{ctx.facts.session_id}")
        (count,) = await tallied(self._store, [path], ctx.now)
        return count

    async def _by_facts(self, ctx: CallContext, known: KnownFacts, *, is_guessed: bool) -> _Looked:
        """Return the one caller on file whose facts these are; nobody where these are guesses."""
        candidates, booked_by = await self._candidates(ctx, known)
        day = ctx.now.date().isoformat()
        # By what is told, on file or not, so that no answer depends on that. A birthday is many people's: only with a
        # name it points at anybody, and is counted by that.
        told_of = {"name": name_key(known.name), **known.others()}
        told_of.pop("date_of_birth", None)
        names = [f"matches-of-{kind}:{_hashed(value)}:{day}" for kind, value in told_of.items()]
        counts = await tallied(self._store, [ctx.paths.document("tickets", name) for name in names], ctx.now)
        fitting = [] if is_guessed else [caller for caller in candidates if known.fit(caller, booked_by)]
        return _Looked(fitting[0] if len(fitting) == 1 else None, max(counts) > TRIES_PER_DAY)

    async def _candidates(self, ctx: CallContext, known: KnownFacts) -> tuple[list[Caller], str | None]:
        """Return the records that the facts lead to, and whose the named booking is.

        Which trips to the store that takes depends on which facts were said, never on what is found.
        """
        if known.phone:
            looking = self._callers.of_number(ctx.paths, known.phone)
        elif known.email:
            looking = self._callers.of_email(ctx.paths, known.email)
        elif known.date_of_birth:
            looking = self._callers.of_birthday(ctx.paths, known.date_of_birth)
        else:
            booked_by = await self._booked_by(ctx, known)
            return await self._callers.of_id(ctx.paths, booked_by or "nobody"), booked_by
        candidates, booked_by = await asyncio.gather(looking, self._booked_by(ctx, known))
        if not known.phone and not known.email:
            # Only a name makes a birthday point at anybody; the others were not tried.
            candidates = [caller for caller in candidates if name_key(caller.name) == name_key(known.name)]
        return candidates, booked_by

    async def _booked_by(self, ctx: CallContext, known: KnownFacts) -> str | None:
        """Return the record of the verified caller who made a booking.

        The numbers and addresses in a booking prove nothing: whoever books may put down somebody else's.
        """
        if not known.booking_reference:
            return None
        document = await self._store.get(ctx.paths.document("bookings", known.booking_reference))
        return text(document.data.get("callerId")) or None if document is not None else None

    async def _awaiting_code(self, ctx: CallContext, caller: Caller | None, counted_for: str = "") -> Verdict:
        """Note that a code may be sent, if to anybody; the answer is the same for nobody."""
        try:
            await self._codes.expect(ctx, caller, counted_for)
        except StoreError as error:
            raise _not_written(error) from error
        return Verdict("code_needed", level_of(ctx.business.caller_verification))

    async def _established(self, ctx: CallContext, level: Level, caller: Caller) -> Verdict:
        """Write down who it is."""
        standing = Standing(
            "match", caller.id, caller.phone, ctx.now, place_of(ctx.facts.channel), ctx.facts.shown_phone
        )
        session = ctx.paths.document("sessions", ctx.facts.session_id)
        try:
            await self._store.commit([Set(session, standing.to_fields() | in_use(ctx.now), merge=True)])
        except StoreError as error:
            raise _not_written(error) from error
        return Verdict("verified", level, caller)


def _counted_for(known: KnownFacts) -> str:
    """Return what codes are counted by that are asked for with these facts, on file or not.

    By all of them: who knows a name alone uses up nothing of what its owner may ask for.
    """
    facts = (name_key(known.name), known.phone, known.email, known.date_of_birth, known.booking_reference)
    return f"said|{_hashed(repr(facts))}"


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _not_written(error: StoreError) -> ToolError:
    return ToolError(
        ErrorType.TRANSIENT,
        "It could not be written down who the caller is. Do not say that the caller is verified. Verifying "
        "once more with the same facts is safe.",
        retryable=True,
        partial_side_effects=True,
        detail=repr(error),
    )


def _too_few(level: Level, given: SaidFacts) -> Verdict:
    missing = () if given.name else ("name",)
    has_other = any(getattr(given, name) for name in _OTHERS)
    others = () if has_other else _OTHERS
    return Verdict("facts_needed", level, missing=missing + others)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidFacts:
    """What the caller said, in their words; blank counts as not said.

    Attributes:
        name: First and last name.
        phone: In any spelling that can be dialled where the business is.
        email: An address.
        date_of_birth: ISO 8601.
        booking_reference: The id of a booking.
    """

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    date_of_birth: str | None = None
    booking_reference: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said."""
        return not any(getattr(self, f.name) for f in fields(self))

    @property
    def is_enough(self) -> bool:
        """Whether there are two facts to hold against a record: the name, and another."""
        return bool(self.name) and any(getattr(self, name) for name in _OTHERS)

    def read(self, business: Business) -> KnownFacts:
        """Return the facts in the spellings that records have.

        Raises:
            ToolError: VALIDATION, naming the fact that cannot be one: no such number can be called, no such day exists.
        """
        return KnownFacts(
            name=self.name or "",
            phone=to_e164(self.phone, business) if self.phone else None,
            email=self.email.strip() if self.email else None,
            date_of_birth=_day(self.date_of_birth) if self.date_of_birth else None,
            booking_reference="".join(self.booking_reference.split()).lower() if self.booking_reference else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """The same facts, readable: the number in E.164, the reference in lower case."""

    name: str
    phone: str | None = None
    email: str | None = None
    date_of_birth: date | None = None
    booking_reference: str | None = None

    def others(self) -> Mapping[str, str]:
        """Return by kind what is known beside the name, each in the one spelling that is compared."""
        said = {name: getattr(self, name) for name in _OTHERS}
        return {name: str(value).casefold() for name, value in said.items() if value}

    def only(self, kinds: frozenset[str]) -> KnownFacts:
        """Return the name, and of the other facts only these kinds."""
        return KnownFacts(name=self.name, **{kind: getattr(self, kind) for kind in kinds})

    def fit(self, caller: Caller, booked_by: str | None) -> bool:
        """Tell whether they are this caller's: the name and at least one other, and none that the record contradicts.

        A fact that the record does not hold proves nothing and disproves nothing. Of several numbers any will do.

        Args:
            caller: The record.
            booked_by: The record of whoever made the booking that was named; None where there is no such booking, or
                nobody vouched for who made it.
        """
        own_number = self.phone if self.phone in caller.numbers else next(iter(caller.numbers), None)
        compared = [
            (self.phone, own_number),
            (self.email.casefold() if self.email else None, caller.email),
            (self.date_of_birth, caller.date_of_birth),
            # A booking is never silent about who made it: one of somebody else, or of nobody, is a wrong answer.
            (caller.id if self.booking_reference else None, booked_by or ""),
        ]
        answers = [given == known for given, known in compared if given is not None and known is not None]
        return same_person(self.name, caller.name) and bool(answers) and all(answers)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(
            ErrorType.VALIDATION, f"{text!r:.40} is not a date. Write the date of birth like 1988-04-12."
        ) from None
