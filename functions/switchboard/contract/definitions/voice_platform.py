"""The platforms that owners bring with them, as Protocols: a voice platform and a runner of apps' actions.

As in `ports.py`, every method reaches the network, is a coroutine, and ends by its own time-out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from switchboard.contract.business.business import Business
    from switchboard.contract.definitions.tenant_tool import BoundAction
    from switchboard.contract.json import JsonObject


class VoicePlatform(Protocol):
    """A business's account with a voice platform (Vapi), over raw documents: what we do not know is preserved.

    Failures are `ToolError`s. NOT_FOUND: there is no such thing there. CONFLICT: somebody else changes it at this
    moment, or a version of it is pinned somewhere (`meta["vendor"]` holds the vendor's body). VALIDATION: the vendor
    refuses the document. AUTH: the account's key is refused. RATE_LIMIT: nothing was done. TRANSIENT: with partial side
    effects where nobody knows whether it was done; nothing is tried twice here.
    """

    async def create_tool(self, tool: JsonObject) -> JsonObject:
        """Make a tool and return it as it is kept, with its `id`."""

    async def update_tool(self, id: str, changes: JsonObject) -> JsonObject:
        """Change a tool and return it; its type cannot be changed."""

    async def get_tool(self, id: str) -> JsonObject | None:
        """Return a tool, or None where there is none."""

    async def list_tools(self) -> Sequence[JsonObject]:
        """Return every tool of the account."""

    async def delete_tool(self, id: str) -> bool:
        """Delete a tool; False where there was none."""

    async def get_assistant(self, id: str) -> JsonObject | None:
        """Return an assistant, or None where there is none."""

    async def list_assistants(self) -> Sequence[JsonObject]:
        """Return every assistant of the account."""

    async def replace_model(self, assistant_id: str, model: JsonObject) -> JsonObject:
        """Replace an assistant's whole `model` and return the assistant."""

    async def begin_call(self, call: JsonObject) -> JsonObject:
        """Hand a phone call over (`POST /call`) and return the vendor's call."""

    async def add_message(self, control_url: str, role: str, content: str) -> None:
        """Put a message into a running call without making the agent speak; the URL must be the vendor's own."""


class VoicePlatforms(Protocol):
    """The accounts of businesses with a voice platform."""

    async def of(self, business: Business) -> VoicePlatform | None:
        """Return a business's account, or None where it has none.

        Raises:
            ToolError: AUTH, its key is missing.
        """


class ActionRunner(Protocol):
    """Runs ready-made actions of connected apps (Pipedream Connect) for a business.

    Failures are `ToolError`s: AUTH where the app must be connected again, RATE_LIMIT, PERMANENT, or TRANSIENT with
    partial side effects where nobody knows whether the action ran.
    """

    async def run(self, business: Business, action: BoundAction) -> JsonObject:
        """Run one action, once, and return `{summary, result}` of what it gave back."""
