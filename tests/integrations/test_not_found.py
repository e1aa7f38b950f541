"""Others' words are read for one thing: whether there is nothing of the kind, or they themselves have failed."""

import pytest

from switchboard.contract.error import ErrorType
from switchboard.integrations.mcp import failures as mcp
from switchboard.integrations.pipedream import failures as pipedream


@pytest.mark.parametrize(
    ("words", "is_answer"),
    [
        ("Order 4711 not found.", True),
        ("channel_not_found", True),
        ("record_not_found: rec_1", True),
        ("not-found", True),
        ("NOT_FOUND", True),
        ("There is no such customer", True),
        ("Record does not exist", True),
        ("unknown order 7", True),
        ("Request failed with status code 404", True),
        ("Files searched: 3. Order not found", True),
        ("no such table: orders. Customer not found", True),
        ("dial tcp: lookup db: no such host", False),
        ("ENOENT: no such file or directory, open '/tmp/a'", False),
        ("module not found", False),
        ("module_not_found", False),
        ("Module 'orders' was not found", False),
        ("sh: jq: command not found", False),
        ("no such column: total", False),
        ('column "total" of relation "orders" does not exist', False),
        ("function total(integer) does not exist", False),
        ("Table orders does not exist", False),
        ("Please do not call found items", False),
        ("", False),
    ],
)
def test_what_is_not_there_is_an_answer_and_what_the_other_side_lacks_is_its_failure(words: str, is_answer: bool):
    """The same words mean the same, whoever says them."""
    assert (mcp.of_words(words) is ErrorType.NOT_FOUND) is is_answer
    broken = pipedream.broke_off({"error": {"name": "Error", "message": words}})
    assert broken is not None and (broken.type is ErrorType.NOT_FOUND) is is_answer
