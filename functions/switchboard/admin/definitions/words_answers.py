"""What is answered about recorded conversations that are asked again with a draft's words."""

from typing import Literal

from pydantic import Field

from switchboard.admin.api.models import AnswerBody, Count, Moment


class WordsPlanned(AnswerBody):
    """What would be asked, and what that costs."""

    model: str | None = Field(description="Who would be asked; null where no model is connected.")
    why_not: str | None
    conversations: Count
    skipped: Count = Field(description="How many with calls of the tool cannot be asked again.")
    requests: Count = Field(description="Two for each conversation; to be said when they are asked.")
    about_tokens_read: Count = Field(description="An estimate, of all requests together.")
    most_tokens_written: Count


class WordsAnswer(AnswerBody):
    """What the model said and would have called; nothing was carried out."""

    text: str
    problem: str | None = Field(description="Why there is no answer; null where there is one.")


class WordsPiece(AnswerBody):
    """Words in a row that both answers have, or only one."""

    side: Literal["both", "old", "new"]
    text: str


class WordsAskedAgain(AnswerBody):
    """A place in a recorded conversation with both answers."""

    conversation: str
    at: Moment
    said: str = Field(description="What the caller had said.")
    old: WordsAnswer
    new: WordsAnswer
    is_same: bool | None = Field(description="Null where an answer is missing.")
    words: list[WordsPiece] = Field(description="Both answers in one, word by word.")


class WordsAsked(AnswerBody):
    """What was asked again, the latest conversation first."""

    asked: list[WordsAskedAgain]
