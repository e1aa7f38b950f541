"""What a test asks of something that is to fail."""

from collections.abc import Awaitable
from typing import Any

import pytest

from switchboard.contract.error import ToolError


async def failure(awaited: Awaitable[Any]) -> ToolError:
    """Return the error that something ends in."""
    with pytest.raises(ToolError) as caught:
        await awaited
    return caught.value
