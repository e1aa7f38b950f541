"""What is sent and answered about conversations that are kept as tests."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, Prose, RequestBody, Revisioned
from switchboard.admin.evals.kept import LONGEST_TEXT, MOST_EVALS


class EvalBody(Revisioned):
    """A test, as it is kept or replaces one."""

    text: Annotated[str, Prose(LONGEST_TEXT, 1)] = Field(description="The scenario, as YAML.")


class EvalRunBody(RequestBody):
    """Which tests are played."""

    names: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=MOST_EVALS)] = Field(
        default=[], description="Their names; none for all."
    )


class EvalOutcome(AnswerBody):
    """What came of a test the last time."""

    at: Moment
    is_red: bool
    what: str = Field(description="What is not as it should be; empty where everything is.")
    sentence: str = Field(description="What was said when it went wrong.")
    call: str = Field(description="What was called then, and what came of it.")
    catalog_hash: str = Field(description="Of the set of tools that it met.")


class EvalShown(AnswerBody):
    """A kept test."""

    name: str
    about: str
    text: str
    updated_at: Moment
    updated_by: str
    outcome: EvalOutcome | None = Field(description="None where it was not played yet as it is now.")
    revision: str


class EvalList(AnswerBody):
    """All tests that a business keeps, by name."""

    evals: list[EvalShown]


class EvalsRun(EvalList):
    """All tests that a business keeps, of which some were played just now."""

    not_run: int = Field(description="How many of those that were to be played there was no time for.")


class EvalRemoved(AnswerBody):
    """That a test is kept no longer."""

    removed: bool


class EvalProposed(AnswerBody):
    """A conversation as a test that is kept nowhere yet: people are made up, expectations are what came of it."""

    name: str
    text: str
    is_kept: bool = Field(description="Whether one of that name is kept already, which this would replace.")
