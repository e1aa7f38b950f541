"""`scripts/calls`: every call goes to its end as it is written, and leaves what it says above its first line."""

import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import setting_up
from tests.manual.typist import typed_in
from tests.scripts.test_run import Runs, Started

CALLS = sorted((setting_up.ROOT / "scripts" / "calls").glob("*.txt"))
NUMBERS = {
    json.loads(path.read_text())["twilioNumber"]: path.parent.name
    for folder in ("businesses", "templates")
    for path in (setting_up.ROOT / "seeds" / folder).glob("*/business.json")
}
TOKEN = "demo"
LISTS = ("demo-salon", "demo-plumber")


@dataclass(frozen=True)
class Told:
    """What the comments and settings of a call say about it.

    Attributes:
        business: Who is called, or whose page is visited.
        done: The tools that leave a receipt; those that do so at some hours only are in `perhaps`.
        before: What has to be set in the business first: field and value.
        templates: What `scripts/run` has to serve beside the demo.
    """

    business: str
    mode: str
    language: str
    done: frozenset[str]
    perhaps: frozenset[str]
    before: tuple[tuple[str, str], ...]
    templates: frozenset[str]


def told(path: Path) -> Told:
    """Read what a file says of itself."""
    text = path.read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(\w+): (.+)$", text.partition("\nsay:")[0], re.M))
    business = settings.get("business") or NUMBERS[settings.get("to", "+15185550100")]
    (line,) = re.findall(r"^# Done: (.+)$", text, re.M)
    every = [] if line == "nothing" else line.split(", ")
    perhaps = {word.removeprefix("perhaps ") for word in every if word.startswith("perhaps ")}
    return Told(
        business,
        settings.get("mode", "relay"),
        settings.get("language", "en"),
        frozenset(word for word in every if not word.startswith("perhaps ")),
        frozenset(perhaps),
        tuple(re.findall(rf"^# Before: ([\w.]+) of {business} is (\w+)$", text, re.M)),
        frozenset(re.findall(r"scripts/run --template ([\w-]+)", text)),
    )


def answered(run: Started, method: str, path: str, body: Any = None, **headers: str) -> tuple[Any, Any]:
    """Return what the admin API answers whoever runs all of it, and its headers."""
    found = re.search(r"^  platform key +(\S+)", run.said, re.M)
    assert found, run.said
    request = urllib.request.Request(
        run.url() + path,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={"Authorization": f"Bearer {found[1]}", "Content-Type": "application/json", **headers},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read()), answer.headers


def prepared(run: Started, call: Told) -> None:
    """Set what a call says has to be set before."""
    place = f"/admin/businesses/{call.business}"
    for name, value in call.before:
        _, headers = answered(run, "GET", place)
        group, field = name.split(".")
        answered(run, "PATCH", place, {group: {field: value}}, **{"If-Match": headers["ETag"]})


def receipts(run: Started, business: str, session: str) -> set[str]:
    """Return the tools of which a conversation holds receipts."""
    story, _ = answered(run, "GET", f"/admin/explain?businessId={business}&session={session}")
    return {receipt["tool"] for receipt in story["receipts"]}


@dataclass(frozen=True)
class Played:
    """How a call went, and what it left."""

    code: int
    printed: str
    receipts: set[str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Played]]:
    """All of them, one after the other, against one server that serves what they name."""
    setting_up.ensure(Path("requirements.txt"))
    folder = tmp_path_factory.mktemp("calls")
    (folder / "scripts").symlink_to(setting_up.ROOT / "scripts")
    runs, calls = Runs(), {path.name: told(path) for path in CALLS}
    templates = sorted(set().union(*(call.templates for call in calls.values())))
    options = ("--store", "memory", "--port", "0", "--no-admin", "--stand-in-port", "0")
    named = [word for name in templates for word in ("--template", name)]
    try:
        run = runs.start(*options, *named, SWITCHBOARD_DEMO_TWILIO_TOKEN=TOKEN)
        for call in calls.values():
            prepared(run, call)
        where = ["--token", TOKEN, "--url", run.url(), "--stand-ins", run.url("texts, calls")]
        answers = typed_in(folder, [["scripts/simulate_call", f"scripts/calls/{name}", *where] for name in calls])
        sessions = sessions_by_business(run, calls)
        yield {
            name: Played(answer["code"], answer["out"], receipts(run, call.business, sessions[call.business].pop(0)))
            for (name, call), answer in zip(calls.items(), answers, strict=True)
        }
    finally:
        runs.close()


def sessions_by_business(run: Started, calls: dict[str, Told]) -> dict[str, list[str]]:
    """Return the conversations of each business, the oldest first, which is the order of the calls."""
    found = {}
    for business in {call.business for call in calls.values()}:
        listed, _ = answered(run, "GET", f"/admin/businesses/{business}/interactions")
        found[business] = [row["sessionId"] for row in reversed(listed["interactions"])]
        assert len(found[business]) == sum(call.business == business for call in calls.values())
    return found


@pytest.mark.process
@pytest.mark.requirement("004-761")
@pytest.mark.parametrize("name", [path.name for path in CALLS])
def test_a_call_goes_to_its_end_and_leaves_what_it_says(played: dict[str, Played], name: str) -> None:
    """Everything that is expected is heard, and nothing else was done than what its comment says."""
    call, found = told(setting_up.ROOT / "scripts" / "calls" / name), played[name]
    assert found.code == 0, found.printed
    assert " ok " in found.printed
    assert "NOT ok" not in found.printed
    assert found.receipts - call.perhaps == call.done, found.printed


@pytest.mark.requirement("004-761")
def test_calls_show_every_way_in_two_languages_and_several_trades() -> None:
    """At least twelve; each way of speaking in English and German."""
    calls = [told(path) for path in CALLS]
    assert len(calls) >= 12
    assert {call.mode for call in calls} == {"relay", "gather", "portal", "browser_voice"}
    assert {(call.mode, call.language) for call in calls} == {
        (mode, language) for mode in ("relay", "gather", "portal", "browser_voice") for language in ("en", "de")
    }
    assert len({call.business.rsplit("-", 1)[0] for call in calls} - {"demo"}) >= 4


@pytest.mark.requirement("004-761")
def test_a_call_says_what_has_to_be_served_for_it() -> None:
    """Whoever is called is of the demo, or named for `scripts/run --template`."""
    for path in CALLS:
        call = told(path)
        assert call.business in LISTS or call.templates == {call.business}, path.name
