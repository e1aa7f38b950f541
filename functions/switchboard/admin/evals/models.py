"""What is sent and answered about conversations that are kept as tests."""

from typing import Annotated

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Moment, Prose, Revisioned
from switchboard.admin.evals.kept import LONGEST_TEXT


class EvalBody(Revisioned):
    """A test, as it is kept or replaces one."""

    text: Annotated[str, Prose(LONGEST_TEXT, 1)] = Field(description="The scenario, as YAML.")


class EvalShown(AnswerBody):
    """A kept test."""

    name: str
    about: str
    text: str
    updated_at: Moment
    updated_by: str
    revision: str


class EvalList(AnswerBody):
    """All tests that a business keeps, by name."""

    evals: list[EvalShown]


class EvalRemoved(AnswerBody):
    """That a test is kept no longer."""

    removed: bool


class EvalProposed(AnswerBody):
    """A conversation as a test that is kept nowhere yet: people are made up, expectations are what came of it."""

    name: str
    text: str
    is_kept: bool = Field(description="Whether one of that name is kept already, which this would replace.")
