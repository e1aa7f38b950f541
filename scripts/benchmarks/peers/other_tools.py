"""The twelve tools that a turn declares beside the one it calls, and what it is asked."""

from collections.abc import Awaitable, Callable
from typing import Any

from worker import FOUND

QUESTION = "When is my appointment?"
INSTRUCTIONS = "You are a receptionist."
ANSWER = "It is apt_1."


def others() -> list[Callable[..., Awaitable[dict[str, Any]]]]:
    """Return them; each takes what the first takes."""
    return [_made(number) for number in range(12)]


def _made(number: int) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def tool(customer_phone: str, date: str | None = None, limit: int = 5) -> dict[str, Any]:
        """Look up a customer's appointments.

        Args:
            customer_phone: The customer's phone number in E.164.
            date: Day to look at, YYYY-MM-DD.
            limit: Most appointments to return.
        """
        return FOUND

    tool.__name__ = f"tool_{number:04}"
    return tool
