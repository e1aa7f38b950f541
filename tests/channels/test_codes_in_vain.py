"""A business that asks for a code by text message and can send none."""

import pytest

from switchboard.contract.store import Update
from tests.channels.http.test_tools_api import PATHS, call, http, store
from tests.each import each

__all__ = ["http", "store"]

ANNAS = {"name": "Anna Whitfield", "phone": "518 555 0161"}
NOBODYS = {"name": "Nobody Known", "phone": "518 555 0199"}


@pytest.mark.requirement("004-926")
@each("said", [ANNAS, NOBODYS, {}])
async def test_nobody_is_promised_a_code_that_cannot_be_sent(http, store, said):
    """And told what can be had without; there is nothing to call next."""
    changes = {"ai.callerVerification": "code", "integrations.twilio": {"isConnected": False}}
    await store.commit([Update(PATHS.within("demo-salon").business, changes)])
    answer = await http.post("/tools/execute", json=call("verify_caller", said, channel="portal"))
    told = answer.json()["data"]
    assert (told["verified"], told["outcome"], told["next"]) == (False, "no_codes", None)
    assert "Promise no code and ask for no facts." in told["message"]
    assert "what was booked in this conversation" in told["message"]
    assert "ask" not in told
