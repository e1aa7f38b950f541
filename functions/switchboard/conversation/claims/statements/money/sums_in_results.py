"""The sums of money that a tool tells as plain numbers, beside those in its texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.contract.model import ToolMessage
from switchboard.conversation.claims.number_words import plain_amount
from switchboard.conversation.session import CallSession

# What a number counts that is no money; "amountDue" and "total" are.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NO_MONEY_SAID = """
id ids minutes minute mins min hours hour days day weeks week months month years year seconds second size count
quantity qty number position page limit offset index version age capacity seats guests people persons lat lng lon
latitude longitude distance miles km duration length zip phone turn attempts retries left available places
"""
_NO_MONEY = frozenset(_NO_MONEY_SAID.split())
_IN_CENTS = frozenset({"cents", "minor"})
_CENTS = 100


def sums_in_results(session: CallSession) -> frozenset[str]:
    """Return the numbers in what calls came to that may be sums of money, as `plain_amount` writes them."""
    responses = (message.response for message in session.history.messages if isinstance(message, ToolMessage))
    return frozenset(one for response in responses for one in _sums_in(response.data))


def _sums_in(data: Any) -> Iterator[str]:
    rows: list[tuple[str, Any]] = [("", data)]
    while rows:
        key, value = rows.pop()
        if isinstance(value, Mapping):
            rows += [(str(name), inner) for name, inner in value.items()]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            rows += [(key, inner) for inner in value]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            words = frozenset(map(str.lower, _WORD.findall(key)))
            if words.isdisjoint(_NO_MONEY):
                yield plain_amount(f"{value / _CENTS if words & _IN_CENTS else value:.2f}")
