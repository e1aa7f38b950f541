"""Names that owners enter and a model, a caller or a page shows: nothing stands in one that nobody sees."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Annotated, Any, Final

import pytest
from pydantic import TypeAdapter, ValidationError

import switchboard.admin
from switchboard.admin.api.models import OneLine, RequestBody
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.businesses.form import check_business
from tests.admin.businesses.test_document import SALON
from tests.admin.whole_house import BUSINESS, opened

pytestmark = pytest.mark.requirement("004-950")

# Every field of a body that may hold what nobody sees, and why none is a name that anybody tells by looking at it.
FREE: Final = {
    "what is read in any spelling, marks of address books among it": {
        *("phone", "destination", "safe_number", "number", "phone_number_id", "phone_number_id_in_camel_case"),
        *("recipients", "other_phones", "email"),
    },
    "sentences, which lose on the way to a model and to a phone what nobody sees in them": {
        *("description", "prompt", "notes", "note", "content", "answer", "greeting", "tone", "price", "reason"),
        *("address", "message", "body", "text", "csv", "document", "file", "bundle", "when"),
    },
    "one of what there is, compared and refused where it is none": {
        *("revision", "version", "agent_id", "tool_id", "business_id", "timezone", "hash", "kind", "is_default"),
        *("channels", "language", "tools", "toolkits", "collection", "resource", "person", "acknowledged", "voice"),
        *("secret", "account_id", "app", "action_key", "tool", "field", "param", "method"),
    },
    "read, and told what is wrong with it, by what knows more": {
        *("hours", "working_hours", "open", "close", "limits", "needs", "calendars", "id", "calendar_id"),
        *("calendar_url", "args", "output_schema", "offered", "wording", "value"),
    },
    "sent to a service as it is, or looked for in what it answers": {"url", "prefix", "suffix", "from_", "at", "is_"},
}
# Names that another rule holds: ids by their form, and what no model or caller ever reads.
ELSEWHERE: Final = {
    ("ResourceForm", "id"),
    ("ToolTry", "name"),
    ("BundleAgent", "name"),
    ("ToolServer", "name"),
    # Taken out there: a name of which nothing is seen is a person of the business.
    ("TakeoverBody", "name"),
    ("ToolAppAction", "app_name"),
}
NAMES: Final = frozenset({"name", "label", "title", "topic", "question", "category", "display_name", "app_name"})


def bodies(model: type[RequestBody] = RequestBody) -> Iterator[type[RequestBody]]:
    """Yield every body that owners send."""
    for one in model.__subclasses__():
        yield one
        yield from bodies(one)


def test_whatever_is_new_in_a_form_refuses_what_nobody_sees_or_says_why_not() -> None:
    """A field that a new form forgets to hold to it is named here."""
    for module in pkgutil.walk_packages(switchboard.admin.__path__, "switchboard.admin."):
        importlib.import_module(module.name)
    free = set().union(*FREE.values())
    forgotten = {
        f"{body.__name__}.{name}"
        for body in set(bodies())
        if body.__module__.startswith("switchboard.")
        for name, field in body.model_fields.items()
        if hides(Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation)
        and (name in NAMES or name not in free)
        and not any((base.__name__, name) in ELSEWHERE for base in body.__mro__)
    }
    assert forgotten == set()


def hides(type_: Any) -> bool:
    """Tell whether a text that somebody may enter may also hold something."""
    adapter = TypeAdapter(type_)

    def takes(value: str) -> bool:
        try:
            adapter.validate_python(value, strict=True)
        except ValidationError:
            return False
        return True

    return takes("ab") and takes("a\u200bb")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\u200bFront desk", "at its beginning"),
        ("Front\u00ad desk", 'after "Front"'),
        ("Front desk\u2060", 'after "desk"'),
        ("Front\u200ddesk", 'after "Front"'),
        ("Anna\ufe0f\ufe0f", 'after "Anna"'),
        ("Front\u200fdesk", 'after "Front"'),
        ("Anna\u3164", 'after "Anna"'),
        ("Anna \U000e0041\U000e0042", 'after "Anna"'),
    ],
)
def test_a_name_that_hides_something_is_told_where(text: str, told: str) -> None:
    """Else its owner looks for it in vain: nobody sees it."""
    (problem,) = wrong_with(Annotated[str, OneLine(100, 1)], text)
    assert f"holds something that nobody sees, {told}; write it anew" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "Zoë ❤\ufe0f",
        "1\ufe0f\u20e3 Haircut",
        "👩\u200d🔧 Repair",
        "👍🏽 Fine",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "ක්\u200dෂ",
        "Ren\u00e9e \u05e1\u05dc\u05d5\u05df \u200fx",
        "日本\U000e0100語",
        "Straße 5 · O'Neill",
    ],
)
def test_what_scripts_and_emoji_are_joined_by_may_stand_in_a_name(text: str) -> None:
    """It is there for what is seen."""
    assert wrong_with(Annotated[str, OneLine(100, 1)], text) == []


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("front-desk", "Two rules have the id 'front-desk';"),
        ("Front-Desk", "or one that looks the same as 'front-desk'"),
        ("fr\u043ent-desk", "or one that looks the same as 'front-desk'"),
    ],
)
def test_two_rules_whose_ids_look_the_same_are_a_conflict(id: str, told: str) -> None:
    """The model would read two that are one, and ring somebody else."""
    first, *others = SALON["escalation"]["rules"]
    rules = [first, first | {"id": id, "destination": "+15185550145"}, *others]
    (problem,) = check_business({**SALON, "escalation": {"rules": rules}}, SALON)
    assert problem.field == "escalation.rules[1].id"
    assert told in problem.message


async def test_rules_and_customers_that_show_nothing_are_refused_and_told_where() -> None:
    """They were taken, and the model read one name for two people."""
    async with opened() as owner:
        rules = [{"action": "transfer", "id": "\u200bfront-desk", "destination": "+15185550145", "label": "F\u202ed"}]
        revision = await owner.revision(BUSINESS)
        refused = await owner.send("PATCH", BUSINESS, {"escalation": {"rules": rules}}, revision)
        assert {one["field"] for one in refused.json()["error"]["problems"]} == {
            "escalation.rules[0].id",
            "escalation.rules[0].label",
        }
        refused = await owner.send("POST", f"{BUSINESS}/customers", {"name": "\u200b"})
        assert "name holds something that nobody sees" in refused.json()["error"]["message"]
