"""What is sent and answered about callers: who is kept out, who gets no texts, and who visits by a link."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, Prose, RequestBody, Revisioned, Wording

LONGEST_REASON = 500
# More than any number has, however it is written; the marks that address books put around one are taken out.
_PHONE = Prose(100, 1)


class RestrictionBody(RequestBody):
    """Who is flagged, blocked until a time, or both."""

    phone: Annotated[str, _PHONE, Wording("must be the number, such as +12015550123.")] = Field(
        description="The number, in any spelling that is usual where the business is."
    )
    reason: Annotated[str, Prose(LONGEST_REASON, 1), Wording(f"must say why, in at most {LONGEST_REASON} characters.")]
    # Made anew each time, so that the document names no default: it depends on the other.
    flag: bool = Field(
        default_factory=bool,
        description="Whether it is flagged; where it is left out, it is unless blockedUntil says a time.",
    )
    blocked_until: Moment | None = Field(default=None, description="Until when it is kept out; within 366 days.")


class RestrictionShown(AnswerBody):
    """What stands against a caller, or in a session."""

    place: str
    id: str
    name: str
    phone: str | None
    other_phones: list[str] = Field(description="Further numbers of the same customer: it stands against all of them.")
    flagged: bool
    flag_reason: str
    flagged_until: Moment | None = Field(
        description="Until when; a model's flag of a customer holds for a day. Null for good."
    )
    blocked_until: Moment | None
    block_reason: str
    at: Moment | None
    binds: bool = Field(description="Whether it keeps anybody out: flags of calls that nobody vouched for do not.")
    changed_by: str | None
    revision: str


class RestrictionList(AnswerBody):
    """Who is flagged or blocked, the newest first; unless it is whole there are more."""

    restrictions: list[RestrictionShown]
    is_whole: bool


class RestrictionsMade(AnswerBody):
    """What stands now against everybody who has a number."""

    restrictions: list[RestrictionShown]


class RestrictionLifted(AnswerBody):
    """That nothing stands there any more."""

    lifted: bool


class TextStopBody(RequestBody):
    """Who gets no texts any more."""

    phone: Annotated[str, _PHONE, Wording("must be a phone number as text, such as +12015550123.")] = Field(
        description="The number, in any spelling that is usual where the business is."
    )


class TextStopRemoval(Revisioned, RequestBody):
    """How it is meant that a number gets texts again."""

    confirm: bool = Field(default=False, description="true texts a number again that has itself sent STOP.")


class TextStopShown(AnswerBody):
    """A number that gets no texts, and who has said so."""

    number: str
    source: str
    is_callers_own: bool = Field(description="Whether whoever has the number sent STOP; lifting that is confirmed.")
    at: Moment | None
    revision: str


class TextStopList(AnswerBody):
    """The numbers that get no texts, the newest first; unless it is whole there are more."""

    text_stops: list[TextStopShown]
    is_whole: bool


class TextStopLifted(AnswerBody):
    """That it gets texts again."""

    lifted: bool


class VisitShown(AnswerBody):
    """A visit by a link that goes on, or can still be begun."""

    id: str
    session_id: str
    phone: str
    issued_at: Moment
    opened_at: Moment | None
    expires_at: Moment
    revision: str


class VisitList(AnswerBody):
    """The visits that go on, the newest first."""

    visits: list[VisitShown]


class VisitEnded(AnswerBody):
    """That it is over."""

    ended: bool
