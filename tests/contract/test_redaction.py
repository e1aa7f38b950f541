"""Secrets are taken out of whatever comes back, in every usual spelling, and nothing else is."""

import base64
import json
from html import escape
from typing import Any
from urllib.parse import quote

import pytest

from switchboard.contract.definitions.redaction import HIDDEN, Redaction
from tests.each import each

SECRET = 'My"Pass/wörd <1>'


@pytest.mark.requirement("004-943")
@each(
    "spelled",
    [
        SECRET,
        json.dumps({"sent": SECRET}),
        json.dumps({"sent": SECRET}, ensure_ascii=False),
        quote(SECRET),
        quote(SECRET, safe=""),
        escape(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
    ],
)
def test_every_usual_spelling_is_taken_out(spelled: str):
    """Wherever in a value it stands, names included."""
    shown = Redaction([SECRET]).value({"a": [{spelled: ("x" + spelled + "y", 7, None, True)}]})
    assert "Pass" not in str(shown) and HIDDEN in str(shown)
    assert "7, None, True" in str(shown)


@pytest.mark.requirement("004-973")
@each(
    ("secret", "value", "shown"),
    [
        ("4711", {"code": 4711, "order": 947112}, {"code": HIDDEN, "order": 947112}),
        ("471", "CVV 471, order 14711", f"CVV {HIDDEN}, order 14711"),
        ("2026", "On 2026-12-01, 12/2026 and 01/12/2026", "On 2026-12-01, 12/2026 and 01/12/2026"),
        ("2026", "2026.50 and 1.2026, +1 518-555-2026", "2026.50 and 1.2026, +1 518-555-2026"),
        ("2026", {"price": 2026.5, "pin": 2026}, {"price": 2026.5, "pin": HIDDEN}),
        ("0200", "10:00:00+0200", "10:00:00+0200"),
        ("2026", "The code is 2026. Or 2026, or pin=2026", f"The code is {HIDDEN}. Or {HIDDEN}, or pin={HIDDEN}"),
        (
            "2026",
            "[2026,7] 42:2026 pin%3D2026 pin%202026 /v1/2026",
            f"[{HIDDEN},7] 42:{HIDDEN} pin%3D{HIDDEN} pin%20{HIDDEN} /v1/{HIDDEN}",
        ),
        ("open", "It opened; reopen", "It opened; reopen"),
        ("open", "open_now, key%3Dopen, a\\nopen, 'open'", f"{HIDDEN}_now, key%3D{HIDDEN}, a\\n{HIDDEN}, '{HIDDEN}'"),
        ("a.b-", "xa.b-y", "xa.b-y"),
        ("47", "47", "47"),
        ("abc", "abc", "abc"),
        ("", "", ""),
        ("true", [True, "true"], [True, HIDDEN]),
    ],
)
def test_what_is_too_short_or_a_part_of_another_number_stays(secret: str, value: Any, shown: Any):
    """It stands in other things too, and to take it out would protect nothing."""
    assert Redaction([secret]).value(value) == shown


def test_without_secrets_a_value_is_the_same_one():
    """Nothing is copied for the many calls that have none."""
    value = {"a": [1]}
    assert Redaction().value(value) is value
    assert not Redaction([""]) and Redaction(["secret"])
