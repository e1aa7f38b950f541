"""The official client of the first generation, and FastMCP's: programs of their own against a served house."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from testing import outside_parts
from tests.channels.http.test_tools_api import store  # noqa: F401 - a fixture
from tests.channels.listening import listening
from tests.channels.mcp.served import KEY, app_over
from tests.channels.mcp.test_mcp_elicitation import QUESTION
from tests.channels.mcp.test_mcp_server import base, bookings  # noqa: F401 - a fixture

PROGRAM = Path(__file__).with_name("older_clients") / "asking.py"
LIBRARIES = pytest.mark.parametrize("library", ["mcp", "fastmcp"])
pytestmark = [pytest.mark.process, pytest.mark.requirement("004-151")]


@pytest.fixture
def python(missing_part: Callable[[str], NoReturn]) -> Path:
    """The Python of the environment that holds them."""
    return outside_parts.find_older_clients() or missing_part(outside_parts.NO_OLDER_CLIENTS)


async def told(python: Path, library: str, what: str, address: str) -> Any:
    """Let a client book a haircut and do `what` with what it is asked."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    words = (str(PROGRAM), library, what, f"{address}/mcp/demo-salon", KEY)
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(python, *words, stdout=pipe, stderr=pipe, env=environment)
    try:
        out, error = await asyncio.wait_for(program.communicate(), 120)
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    assert program.returncode == 0, error.decode()
    return json.loads(out.decode().splitlines()[-1])


@LIBRARIES
async def test_its_human_is_asked_once_and_a_yes_books(python, base, store, library):  # noqa: F811
    """As the newer client's is."""
    found = await told(python, library, "accept", base)
    assert found["asked"] == [QUESTION] and not found["isError"]
    assert await bookings(store) == 1


@LIBRARIES
@pytest.mark.parametrize("what", ["decline", "cancel"])
async def test_its_human_s_no_is_one_and_not_asked_about_again(python, base, store, library, what):  # noqa: F811
    """Closing the question included."""
    found = await told(python, library, what, base)
    assert found["asked"] == [QUESTION] and found["isError"] and "said no" in found["text"]
    assert await bookings(store) == 0


@LIBRARIES
async def test_its_human_s_late_yes_books_nothing(python, store, base, library):  # noqa: F811
    """The call has ended by then, and says that nobody answered."""
    async with listening(app_over(store, patience_s=0.2)) as hasty:
        found = await told(python, library, "late", hasty)
    assert found["isError"] and "did not answer in time" in found["text"]
    assert await bookings(store) == 0


@LIBRARIES
async def test_without_elicitation_it_reads_how_a_yes_is_reported(python, base, store, library):  # noqa: F811
    """It is no worse off than before: the question is text."""
    found = await told(python, library, "nobody", base)
    assert found["asked"] == [] and found["isError"] and "/tools/heard" in found["text"]
    assert await bookings(store) == 0
