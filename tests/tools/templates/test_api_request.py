"""api_request: the owner's own HTTP request as a tool (seed 002, "API Request")."""

from dataclasses import dataclass
from typing import Any

import pytest

from switchboard.contract.definitions.tenant_tool import BoundRequest
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.tenant_tools.api_requests import ApiRequests, NoSecrets
from switchboard.tools.templates.api_request import execute
from tests.desk.front_desk import all_places, call, salon
from tests.desk.tenant_tools.test_api_requests import MemoryEgress, said

SALON = salon()
URL = "https://api.example.com/visits"


@dataclass(frozen=True)
class ApiDesk:
    """What the template asks of a desk."""

    api_requests: ApiRequests


async def run(answer: Any, **changes: Any) -> Any:
    bound = BoundRequest(**({"method": "GET", "url": URL, "headers": {}} | changes))
    desk = ApiDesk(ApiRequests(MemoryEgress(answer), NoSecrets(), all_places()))
    return await execute(call(SALON), desk, bound=bound)  # type: ignore[arg-type]


@pytest.mark.requirement("002-21", "002-54")
async def test_a_look_up_answers_what_the_service_said():
    """With its status, and without a receipt: nothing was done."""
    result = await run(said({"visits": 3}))
    assert (result.data, result.receipt, result.empty) == ({"status": 200, "result": {"visits": 3}}, None, False)


@pytest.mark.parametrize("body", [[], {}, None, b"", b"null", b'""'])
async def test_a_look_up_that_finds_nothing_is_empty(body: Any):
    """So that it is not asked again and again."""
    assert (await run(said(b"null" if body is None else body))).empty


async def test_what_was_done_leaves_a_receipt():
    """With the key that the service knows the wish by; an answer without a body is no failure."""
    result = await run(said(b"", 204), method="POST", body={"day": "Tuesday"})
    assert (result.data, result.empty) == ({"status": 204, "result": None}, False)
    assert result.receipt == {
        "what": "some_tool",
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": [call(SALON).effect_key],
    }


async def test_an_answer_that_was_cut_says_so():
    """The model can then ask for less."""
    assert (await run(said(list(range(500))))).data["shortened"] is True


async def test_a_refusal_of_the_service_is_a_failure():
    """Its type tells the model what to do."""
    with pytest.raises(ToolError) as caught:
        await run(said({"message": "day is in the past"}, 422), method="POST")
    assert caught.value.type is ErrorType.VALIDATION
    assert "day is in the past" in caught.value.message
