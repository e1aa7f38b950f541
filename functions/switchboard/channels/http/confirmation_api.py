"""`POST /tools/heard`: what the human said or did in their turn, where a tool waits for their yes.

The application that runs the conversation tells it before it executes the tool calls of that turn. Whether it was a yes
is decided here, from the human's own words, keys or button; nothing the model writes comes this way.
"""

from collections.abc import Awaitable, Callable

import orjson
from starlette.requests import Request
from starlette.responses import Response

from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.context import call_facts
from switchboard.channels.http.credentials import Credentials, entitled
from switchboard.channels.http.request_body import Malformed, json_object, optional_text
from switchboard.contract.business.business import Business
from switchboard.contract.credential import Scope
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.consent import Reply, Said, clicked, pressed

LONGEST_UTTERANCE = 4_000
_UNNAMED = (
    "context.sessionId is required here: an answer counts in the conversation in which it was asked for, so name the "
    "same one in every call of the conversation."
)


def endpoint(
    catalog: Catalog, approvals: Approvals, credentials: Credentials, clock: Clock
) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint; it answers `{verdict, tool, readBack}`, and where several calls were asked about `tools`.

    `asked` beside `heard` is what the human was told last, word for word: a yes counts for a question that was put.
    `verdict` is `approved` (call the tool again with the same arguments, in this very turn), `declined`, `open` (ask
    `readBack`, once more if it was asked), `lapsed` (too late, or unclear twice: the tool asks anew when it is called)
    or `nothing` (no question was open).
    """

    async def heard(request: Request) -> Response:
        credential = await credentials.recognise(request.headers.get("authorization"))
        body = await json_object(request)
        facts = call_facts(body)
        entitled(credential, Scope.EXECUTE, facts.business_id)
        if not body["context"].get("sessionId"):
            raise Malformed("context.sessionId", _UNNAMED)
        said = body.get("heard")
        if not isinstance(said, dict):
            raise Malformed("heard", "heard is required and must be an object with text, digits or button.")
        question = said.get("question")
        if question is not None and (not isinstance(question, int) or isinstance(question, bool)):
            raise Malformed("heard.question", "heard.question must be the turn of the question that a button answers.")
        asked = optional_text(body, "asked", longest=4 * LONGEST_UTTERANCE) or ""
        try:
            business = await catalog.business(facts.business_id) or Business(facts.business_id)
            reply = _reply(said, business.language)
            now, channel = clock.now(), facts.channel
            found = await approvals.hear(
                *(facts.business_id, facts.session_id, facts.turn, reply, now),
                question=question,
                asked=asked,
                channel=channel,
            )
        except StoreError:
            return refusal(503, ErrorType.TRANSIENT, "What was said could not be recorded; tell it again.")
        answer: JsonObject = {"verdict": found.verdict, "tool": found.tool, "readBack": found.read_back}
        if found.others:
            answer["tools"] = list(found.tools)
        return json_answer(orjson.dumps(answer))

    return heard


def _reply(said: JsonObject, language: str) -> Reply | Said:
    text = optional_text(said, "text", within="heard.", longest=LONGEST_UTTERANCE)
    digits = optional_text(said, "digits", within="heard.")
    button = optional_text(said, "button", within="heard.")
    given = [value for value in (text, digits, button) if value is not None]
    if len(given) != 1:
        raise Malformed("heard", "heard must have exactly one of text, digits and button.")
    if text is not None:
        return Said(text, language)
    return pressed(digits) if digits is not None else clicked(button or "")
