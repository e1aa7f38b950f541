"""Tools of servers that owners connect: what one offers, what a call of it comes to, and the port that reaches them.

Everything in these records was said by a stranger: words, schemas and hints alike grant nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """One server as one business reaches it.

    Attributes:
        business_id: Whose connection it is; two businesses never share a session.
        url: Absolute.
        headers: By name, with their secrets in clear; not shown.
    """

    business_id: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """One tool as its server describes it; nothing of it is checked.

    `needs_tasks` is whether it only runs as a task, whose end somebody has to come back for.
    """

    name: str
    title: str
    description: str
    input_schema: Any
    output_schema: Any = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    needs_tasks: bool = False


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """What a server answered to a call.

    Attributes:
        content: Any JSON value, or text.
        failure: What kind of a no it is, where it is one; `content` is then the server's words for it.
        is_unknown: Whether nobody can tell if anything was done.
        is_tools_own: Whether the no is the tool's own (`isError`), which whatever went wrong in it becomes, also behind
            a deed.
    """

    content: Any
    failure: ErrorType | None = None
    is_unknown: bool = False
    is_tools_own: bool = False


class RemoteTools(Protocol):
    """Reaches the servers. Failures are `ToolError`s in words that quote nothing of what was sent or answered."""

    async def offered(self, server: RemoteServer) -> Sequence[RemoteTool]:
        """Return the tools that a server offers, in its order, as far as they are worth reading.

        Raises:
            ToolError: AUTH, PERMANENT or TRANSIENT; nothing was changed anywhere.
        """

    async def call(
        self, server: RemoteServer, tool: str, arguments: JsonObject, *, wish: str, is_reading: bool
    ) -> RemoteAnswer:
        """Call a tool, once.

        Args:
            server: Where.
            tool: Its name there.
            arguments: As they are sent.
            wish: The same for the same wish, for servers that look at it.
            is_reading: Whether nothing is lost where it is not known if it was carried out.

        Raises:
            ToolError: There is no answer, or none that can be used; with partial side effects where nobody knows.
        """
