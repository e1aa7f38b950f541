"""How messages to connected servers travel: as every request to an address that an owner chose, with other bounds.

What may be called is decided where it is for all (`egress`): public addresses only, checked and pinned, no redirects,
never this deployment itself. Only the exchange differs: an answer may be a stream, of which no more is read than the
response.
"""

from collections.abc import Mapping

from switchboard.contract.deadline import bounded
from switchboard.contract.policy import OWNERS_ACTION_S
from switchboard.integrations.egress import failures
from switchboard.integrations.egress.answer_body import SENT_BYTES, AnswerTooLong
from switchboard.integrations.egress.egress import BODY_BYTES, CONNECT_S, SafeEgress
from switchboard.integrations.egress.request_headers import sendable
from switchboard.integrations.egress.target import Target
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.mcp.events import read_response

TOTAL_S = 8.0
"""The longest that one exchange of messages may take that changes nothing."""


def longest_s(method: str) -> float:
    """Return how many seconds an exchange may take; a call that changes something is not stopped half-way."""
    return TOTAL_S if method == "GET" else OWNERS_ACTION_S


class MessageEgress(SafeEgress):
    """Posts messages."""

    async def post(self, url: str, headers: Mapping[str, str], body: bytes, *, is_reading: bool) -> HttpAnswer:
        """Send one message, once, and return status, headers and the JSON text of the response to it.

        Args:
            url: Absolute.
            headers: All of them; the later of two spellings of one name counts.
            body: Sent as it is.
            is_reading: Whether nothing is lost where it is not known if it was carried out.

        Raises:
            ToolError: As `SafeEgress.request`.
        """
        if len(body) > BODY_BYTES:
            raise failures.too_much(BODY_BYTES)
        target, sent = self._checked(url), sendable(headers)
        # To the rest of egress a message is what its effect is, whatever method carries it.
        return await self._sent("GET" if is_reading else "POST", target, sent, body)

    async def _exchange(
        self, method: str, target: Target, headers: Mapping[str, str], body: bytes | None, sending: object
    ) -> HttpAnswer:
        import aiohttp
        from yarl import URL

        async with (
            self._session(method, target)
            .client()
            .post(
                URL(target.url, encoded=True),
                headers=headers,
                data=body,
                timeout=aiohttp.ClientTimeout(total=bounded(longest_s(method)), sock_connect=bounded(CONNECT_S)),
                allow_redirects=False,
                trace_request_ctx=sending,
            ) as response
        ):
            if (response.content_length or 0) > SENT_BYTES:
                raise AnswerTooLong
            encoding = ",".join(response.headers.getall("Content-Encoding", []))
            kind = response.headers.get("Content-Type", "")
            content = await read_response(response.content.iter_any(), encoding, kind)
            return HttpAnswer(response.status, response.headers, content)
