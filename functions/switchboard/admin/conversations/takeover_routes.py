"""The owners' endpoints by which somebody takes a running phone call or chat over, writes in it, and hands it back."""

import re
from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import AnswerBody, OneLine, Prose, RequestBody, Wording
from switchboard.admin.api.serving import Caller
from switchboard.admin.conversations.chat_takeover import ChatTakeovers
from switchboard.admin.conversations.models import AnsweringPerson, TakenOver, TranscriptEntry
from switchboard.admin.conversations.takeover import Takeovers
from switchboard.admin.documents.one_line import one_line
from switchboard.contract.policy import CHAT_TEXT_CHARACTERS
from switchboard.desk.untrusted_text import quoted

_MESSAGE = re.compile(r"[A-Za-z0-9_-]{8,64}")
_LONGEST_NAME = 60


class TakeoverBody(RequestBody):
    """Who is to be rung, or who answers in a chat."""

    destination: str | None = Field(
        default=None, max_length=200, description="The id of a rule; may be left out where the rules name one person."
    )
    name: Annotated[str, OneLine(_LONGEST_NAME, may_hide=True)] | None = Field(
        default=None,
        description="Who answers in a chat, as the visitor reads it; left out, a person of the business does.",
    )


class ChatMessageBody(RequestBody):
    """What a person writes to the visitor of a chat that they have taken over."""

    id: Annotated[str, OneLine(64, form=_MESSAGE), Wording("must be 8 to 64 letters, digits, - and _.")] = Field(
        description="Sent again with the same words, it is the same message, and written once."
    )
    text: Annotated[
        str,
        Prose(CHAT_TEXT_CHARACTERS, 1),
        Wording(f"must be what you want to write, of at most {CHAT_TEXT_CHARACTERS} characters."),
    ]


class HandBackBody(RequestBody):
    """Nothing: the path says which chat is handed back."""


class ChatMessageWritten(AnswerBody):
    """What stands in the transcript now."""

    message: TranscriptEntry


class HandedBack(AnswerBody):
    """That the assistant goes on."""

    answering_person: None


class PersonToRing(AnswerBody):
    """Somebody to whom a call can be put through."""

    id: str
    label: str
    is_there: bool = Field(description="Whether they are there now, by their hours; they are rung also if not.")


class TakeoverDone(AnswerBody):
    """That a call or chat is taken over."""

    taken_over: TakenOver | None = Field(description="Of a phone call; null for a chat.")
    answering_person: AnsweringPerson | None = Field(description="Of a chat; null for a phone call.")


class TakeoverChoices(AnswerBody):
    """Whether, by whom, and for whom a call or chat can be taken over."""

    is_chat: bool = Field(description="Whether a chat is taken over by writing in it, with nobody to be rung.")
    people: list[PersonToRing]
    why_not: str | None = Field(description="Why it cannot be taken over; null where it can.")
    taken_over: TakenOver | None
    answering_person: AnsweringPerson | None = Field(description="Who answers in a chat; null while the model does.")


class TakeoverEndpoints(EndpointGroup):
    """`/admin/businesses/{business_id}/interactions/{interaction_id}/takeover`, and below it what a chat needs."""

    _PATH = "/businesses/{business_id}/interactions/{interaction_id}/takeover"

    def __init__(self, takeovers: Takeovers, chats: ChatTakeovers) -> None:
        self._takeovers, self._chats = takeovers, chats

    @endpoint("GET", _PATH, Operation.SEE_CONVERSATIONS, TakeoverChoices)
    async def _choices(self, permit: Caller, interaction_id: str) -> Response:
        """Tell whether a running phone call or chat can be taken over, and who can be rung."""
        return json_answer(await self._takeovers.choices(permit.business_id, interaction_id))

    @endpoint("POST", _PATH, Operation.TAKE_OVER, TakeoverDone)
    async def _take_over(self, permit: Caller, interaction_id: str, body: TakeoverBody) -> Response:
        """Put the caller of a running phone call through to a person, or answer in a running chat."""
        # A name of which nothing is seen is none: the visitor would read of nobody.
        name = one_line(body.name or "")
        name = name if quoted(name).strip() else ""
        return json_answer(await self._takeovers.take_over(permit, interaction_id, body.destination, name))

    @endpoint("POST", f"{_PATH}/messages", Operation.TAKE_OVER, ChatMessageWritten)
    async def _write(self, permit: Caller, interaction_id: str, body: ChatMessageBody) -> Response:
        """Write to the visitor of a chat that was taken over."""
        return json_answer({"message": await self._chats.write(permit, interaction_id, body.id, body.text)})

    @endpoint("POST", f"{_PATH}/hand-back", Operation.TAKE_OVER, HandedBack)
    async def _hand_back(self, permit: Caller, interaction_id: str, body: HandBackBody) -> Response:
        """Let the assistant go on in a chat that was taken over."""
        await self._chats.hand_back(permit, interaction_id)
        return json_answer({"answeringPerson": None})
