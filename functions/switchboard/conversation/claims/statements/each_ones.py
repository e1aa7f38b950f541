"""Whose appointment it is of which a sentence tells, and what became of it: clause by clause, each held by its own.

What is told of somebody is borne out by what was done for them alone, and what is denied by nothing that stands.
"""

import re
from collections.abc import Callable, Sequence

from switchboard.contract.definitions.definition import Deed
from switchboard.conversation.claims.classifier import ClaimReading
from switchboard.conversation.claims.entities import readings
from switchboard.conversation.claims.facts import Evidence, words_of
from switchboard.conversation.claims.name_words import GIVEN_NAMES, is_no_name
from switchboard.conversation.claims.party_words import only_tell_hours, parties_said
from switchboard.conversation.claims.people_marks import marked
from switchboard.conversation.claims.people_words import company_readings, only_greets
from switchboard.conversation.claims.statements.each_told import Became, Told, pieces_said, told_of_each
from switchboard.conversation.claims.statements.known_appointments import KnownAppointments, agrees, appointments_of
from switchboard.conversation.claims.statements.statement import LONGEST_STATEMENT, SpokenStatement

_NAME = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*")
_FOR_ME = re.compile(
    r"\b(?:for me|(?:book|put|get|fit|squeeze) me|only me|just me|für mich|nur mich|mir|para mí"
    r"|me (?:reserv|apunt|agend)\w+"
    r"|pour moi|per me|para mim|voor mij)\b",
    re.I,
)
_LONGEST_NAME = 4
_IT_IS = re.compile(
    r"\b(?:okay|ok|good|great|so|then|now|it is|it's|that's|gut|dann|also|jetzt|ist es|es ist|wird es|entonces|ahora|es"
    r"|alors|donc|c'est|maintenant|allora|adesso|è|então|agora|é|dan|nu|het is|is het)\b",
    re.I,
)
# How it is denied that something was done, and not that there is something.
_WAS_NOT = re.compile(
    r"\b(?:(?:could|did|was|were|has|have|had)(?:n't| not)|nothing (?:was|has|is)|konnte\w*|wurde\w*"
    r"|nichts|hat \w*\s?nicht"
    r"|ist nicht|no (?:se )?(?:pud\w+|ha\w*|he|fue|está|quedó)|n'(?:a|ai|avons|est)|pas pu|rien n'"
    r"|non (?:ho|è|abbiamo|ha"
    r"|sono)|não (?:foi|pude\w*|consegui\w*)|kon\w*|(?:is|heb|werd) niet)(?!\w)",
    re.I,
)
# Said of what was called for just now, and of nothing before.
_THAT_IS = re.compile(
    r"^\W*(?:(?:okay|great|perfect|good|gut|perfekt|perfecto|parfait|perfetto|perfeito),? )?(?:that's|it's|that is"
    r"|(?:das|er) ist|es ist|eso está|ya está|c'est|è|está|dat is|het is) \w+\W*$",
    re.I,
)


def without_what_is_told_of_each(statement: SpokenStatement, read: Callable[[str], ClaimReading]) -> str:
    """Return what is left of a sentence without what it says, truly, of each of several appointments.

    Args:
        statement: What is about to be said.
        read: Reads what a text claims.

    Raises:
        Unfounded: It says of somebody's appointment, or of so many, what is not so.
    """
    sentence = statement.sentence
    if not statement.session.receipts or len(sentence) > LONGEST_STATEMENT or sentence.endswith("?"):
        return sentence
    appointments = appointments_of(statement)
    if not appointments.standing and not appointments.gone:
        return sentence
    _hold_what_was_refused(statement, appointments)
    if only_greets(statement.business, sentence, statement.session.history.messages):
        return sentence
    account = _TakenApart(statement, appointments)
    pieces = pieces_said(sentence)
    all_told = told_of_each(pieces, statement.business, account.names_in, read)
    names_any = any(told.names or told.services or told.count for told in all_told)
    borne_out = [told for told in all_told if account.is_so(told, is_alone=not names_any)]
    told_pieces = {number for told in borne_out if not told.says_more for number in told.pieces}
    is_of_several = any(told.names or told.services or told.count for told in borne_out)
    if not is_of_several or sum(max(1, told.count) for told in borne_out if not told.says_more) < _SEVERAL:
        return sentence
    return "".join(piece for number, piece in enumerate(pieces) if number not in told_pieces).strip(" ,;") or "."


_SEVERAL = 2


def _hold_what_was_refused(statement: SpokenStatement, appointments: KnownAppointments) -> None:
    """Hold a sentence that says no more than that it will be then, where that was refused in this turn.

    Raises:
        Unfounded: It must not be said.
    """
    moments = [one.moment for one in appointments.refused if one.is_of_now and one.moment is not None]
    if not moments or not only_tell_hours(_IT_IS.sub(" ", statement.sentence)):
        return
    ways = [one for one in readings(f"at {_IT_IS.sub(' ', statement.sentence)}", statement.now) if one.clocks]
    there = [moment for item in appointments.standing for moment in item.moments]
    if any(one.agree_with(at) for one in ways for at in moments) and not any(
        one.agree_with(at) for one in ways for at in there
    ):
        raise statement.refused("that was refused.")


class _TakenApart:
    """Holds what is told of each one's appointment against what became of it."""

    def __init__(self, statement: SpokenStatement, appointments: KnownAppointments) -> None:
        self._statement, self._appointments = statement, appointments
        business = statement.business
        people = (words_of(one.name) for one in business.people)
        self._own = frozenset().union(words_of(business.name), *people, *(words_of(s.name) for s in business.services))
        self._names = appointments.names - self._own

    def names_in(self, text: str) -> list[tuple[str, ...]]:
        """Return whom a text names of those for whom something was made or called for, or of nobody here."""
        names, end = list[tuple[str, ...]](), -1
        for match in _NAME.finditer(text):
            word = self._name(match, text)
            if not word:
                continue
            is_more = names and match.start() - end <= 1 and len(names[-1]) < _LONGEST_NAME
            names[-1:] = [(*names[-1], word)] if is_more else [*names[-1:], (word,)]
            end = match.end()
        return names

    def _name(self, match: re.Match[str], text: str) -> str:
        """Return the name that a word is; empty where it is none."""
        word = match[0].casefold()
        if not match[0][0].isupper() or is_no_name(word):
            return ""
        for one in (word, word.removesuffix("s")):
            if one in self._names:
                return one
        is_given = word in GIVEN_NAMES or word.removesuffix("s") in GIVEN_NAMES
        is_street = text[match.end() : match.end() + 2].strip()[:1].isupper()
        return word if is_given and word not in self._own and not is_street else ""

    def is_so(self, told: Told, *, is_alone: bool) -> bool:
        """Tell whether what is told is so for certain; where nothing else is named, `is_alone`, only hold what is not.

        Raises:
            Unfounded: It is not so for certain.
        """
        if told.became is None:
            return False
        if told.became is Became.NOT_DONE:
            return self._is_not_done(told)
        appointments = self._appointments
        there = appointments.gone if told.became is Became.GONE else appointments.standing
        is_any = not (told.names or told.services or told.count)
        if is_any and told.became is Became.GONE and told.is_sure and self._all_stand() and not self._says_when(told):
            raise self._refused("nothing was cancelled.")
        is_refused = appointments.was_refused(Deed.BOOKED, now=True) and not appointments.done_now(Deed.BOOKED)
        if is_any and told.is_sure and is_refused and _THAT_IS.search(told.text) is not None:
            raise self._refused("what was called for now was not done.")
        if is_alone:
            return False
        alike = self._alike(there, told)
        for name in told.names:
            if not any(self._is_of(item, name) for item in alike):
                self._hold(told, name)
                return False
        if told.count > max(1, len(told.names)) or (told.count > 1 and not told.names):
            if sum(item.party or 1 for item in alike) < told.count:
                if told.is_sure and any(item.is_receipt for item in (*appointments.standing, *appointments.gone)):
                    raise self._refused(f"that is not so of {told.count}.")
                return False
            return True
        return bool(told.names or ((told.services or told.is_callers) and alike))

    def _hold(self, told: Told, name: tuple[str, ...]) -> None:
        """Hold what is told of somebody of whose nothing bears it out.

        Raises:
            Unfounded: Something else is known of theirs, or nothing was made for them.
        """
        if not told.is_sure:
            return
        appointments = self._appointments
        known = [item for item in (*appointments.standing, *appointments.gone) if self._is_of(item, name)]
        is_refused = appointments.was_refused(Deed.BOOKED, frozenset(name[:1]))
        if told.became is Became.GONE:
            is_wrong = any(self._is_of(item, name) for item in appointments.standing)
        elif not known and not is_refused:
            # What stands under a caller's name may be for whom they have named, unless it is for themselves; and for
            # somebody else whom nobody has named.
            is_heard = name[0] in appointments.heard
            others = [item for item in appointments.standing if appointments.heard.isdisjoint(item.customers)]
            is_wrong = not appointments.standing or (self._is_for_caller() if is_heard else not others)
        else:
            is_wrong = True
        if is_wrong:
            raise self._refused(f"what was done is not for {' '.join(name).title()}, nor under that name.")

    def _is_not_done(self, told: Told) -> bool:
        """Tell whether nothing speaks against what is denied of somebody.

        Raises:
            Unfounded: It was done.
        """
        appointments, deed = self._appointments, told.deed
        there = appointments.gone if deed is Deed.CANCELLED else appointments.standing
        done = [
            item
            for item in there
            if item.is_receipt
            and (deed is not Deed.MOVED or deed in item.deeds or (told.is_by_the_way and item.is_of_now))
        ]
        # Who is said not to be there is named all the same.
        people = marked(self._statement.business, told.text).names.values()
        with_them = [item for item in done if all(words_of(name) <= item.people for name in people)]
        alike = self._alike(with_them, told)
        for name in told.names:
            own = [item for item in alike if self._is_of(item, name)]
            if own and not appointments.was_refused(deed, frozenset(name[:1])):
                raise self._refused(f"of {' '.join(name).title()} that was done.")
        now = [item for item in alike if item.is_of_now and item.is_for(parties_said(told.text), alike)]
        if not (told.services or told.count or told.is_none) and _WAS_NOT.search(told.text) is None:
            # "There's no booking fee."
            now = []
        if told.count > 1 and not told.is_none and sum(item.party or 1 for item in now) < told.count:
            now = []
        if not told.names and now and told.is_sure and (told.is_none or not appointments.was_refused(deed, now=True)):
            raise self._refused("that was done.")
        return bool(told.names)

    def _all_stand(self) -> bool:
        """Tell whether nothing was cancelled here, or refused in this turn, of what was done."""
        appointments = self._appointments
        return (
            not appointments.gone
            and not any(one.is_of_now for one in appointments.refused)
            and any(item.is_receipt for item in appointments.standing)
        )

    def _says_when(self, told: Told) -> bool:
        return any(one.say_when for one in readings(told.text, self._statement.now))

    def _alike(self, items: Sequence[Evidence], told: Told) -> list[Evidence]:
        """Return those of some appointments that agree with what is told of when, with whom and of what one is."""
        # "For six on Friday at seven" names one time.
        said = [
            (readings(text, self._statement.now), company)
            for text, company in (company_readings(self._statement.business, told.text) if items else ())
        ]
        return [
            item
            for item in items
            if any(agrees(item, ways, company, told.services, is_one=told.count <= 1) for ways, company in said)
        ]

    def _is_of(self, item: Evidence, name: tuple[str, ...]) -> bool:
        """Tell whether something stands under a name, or a part of it that it is called by."""
        return name[0] in item.customers or name[0].removesuffix("s") in item.customers

    def _is_for_caller(self) -> bool:
        return any(_FOR_ME.search(text[:LONGEST_STATEMENT]) is not None for text in self._statement.heard())

    def _refused(self, why: str) -> Exception:
        items: Sequence[Evidence] = (*self._appointments.standing, *self._appointments.gone)
        done = [item.summary for item in items if item.summary]
        return self._statement.refused(f"{why} What was done is: {'; '.join(done)}.")
