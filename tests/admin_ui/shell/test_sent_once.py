"""What the pages send is done once until they are drawn whole, and their own saves are no conflict."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import admin_ui
from admin_ui.shell import server
from admin_ui.shell.server import Refused, Sent, Server, Unreachable
from admin_ui.widgets import saving
from tests.admin_ui.premises import SALON, LiveServer, token

ROOT = Path(admin_ui.__file__).parent
KEYS, BUSINESS = f"/admin/businesses/{SALON}/keys", f"/admin/businesses/{SALON}"
# Who asks by POST what changes nothing; whatever else is sent goes by `send`, which does it once.
ASK = {
    *("business/connections.py", "business/push_page.py", "business/removal_form.py", "conversations/kept_tests.py"),
    *("definitions/editor.py", "definitions/words_trial.py", "knowledge/reading_form.py", "knowledge/search_test.py"),
    *("knowledge/table_form.py", "widgets/preview.py", "widgets/saving.py"),
}
# Who makes a server of their own: the visitor's, and one that only reads.
MAKE = {"sign_in/page.py", "shell/business_choice.py"}


@pytest.fixture
def drawn(salon: LiveServer) -> Server:
    """The server as a page has it."""
    return Server(salon.url, token("owner"), sent=Sent())


def made(server: Server) -> int:
    """Return how many keys are called Till."""
    return sum(key["name"] == "Till" for key in server.get(KEYS).body["keys"])


@pytest.mark.requirement("004-1802")
def test_the_same_again_is_done_once_until_the_page_is_drawn(drawn):
    before, body = made(drawn), {"name": "Till", "scopes": ["tools:read"]}
    texts = {drawn.send("POST", KEYS, body).body["text"], replace(drawn).send("POST", KEYS, body).body["text"]}
    assert (len(texts), made(drawn)) == (1, before + 1)
    drawn.sent.settle()
    drawn.send("POST", KEYS, body)
    assert made(drawn) == before + 2


@pytest.mark.requirement("004-1802")
def test_what_was_refused_is_sent_again(drawn):
    for _ in range(2):
        with pytest.raises(Refused):
            drawn.send("POST", KEYS, {"name": "", "scopes": ["tools:read"]})


@pytest.mark.requirement("004-2502")
def test_what_nobody_answered_is_made_once_when_it_is_pressed_again(drawn, monkeypatch):
    """Also once the page was drawn anew; after its answer the same is another wish."""
    fetched, lost = server._fetched, []

    def losing(request, within_s):
        answer = fetched(request, within_s)
        if request.get_method() == "POST" and not lost:
            lost.append(request.get_header("Idempotency-key"))
            raise ConnectionResetError("the line was cut")
        return answer

    monkeypatch.setattr(server, "_fetched", losing)
    rows, row = f"{BUSINESS}/customers", {"name": "Ana Silva of the lost answer"}

    def on_file():
        return sum(one["name"] == row["name"] for one in drawn.get(rows).body["customers"])

    with pytest.raises(Unreachable):
        drawn.send("POST", rows, row)
    drawn.sent.settle()
    assert drawn.send("POST", rows, row).body["name"] == row["name"] and on_file() == 1
    drawn.sent.settle()
    drawn.send("POST", rows, row)
    assert on_file() == 2 and lost[0]


@pytest.mark.requirement("004-1804")
def test_another_save_of_the_same_form_is_based_on_the_one_before(drawn):
    read = drawn.get(BUSINESS)
    drawn.send("PATCH", BUSINESS, {"address": "1 Elm Street"}, read.revision)
    drawn.send("PATCH", BUSINESS, {"address": "2 Elm Street"}, read.revision)
    assert drawn.get(BUSINESS).body["business"]["address"] == "2 Elm Street"


@pytest.mark.requirement("004-1804")
def test_a_change_that_stands_already_is_no_conflict_and_ones_own_is_told_as_such(drawn):
    read, body = drawn.get(BUSINESS), {"address": "1 Elm Street"}
    drawn.send("PATCH", BUSINESS, body, read.revision)
    drawn.sent.settle()
    with pytest.raises(Refused) as same:
        drawn.send("PATCH", BUSINESS, body, read.revision)
    other = {"address": "2 Elm Street"}
    with pytest.raises(Refused) as differs:
        drawn.send("PATCH", BUSINESS, other, read.revision)
    assert saving.is_there("PATCH", body, same.value) and not saving.is_there("PATCH", other, differs.value)
    assert saving.is_own(replace(drawn, who="owner@example.com"), differs.value)
    assert not saving.is_own(replace(drawn, who="partner@example.com"), differs.value)
    assert not saving.is_own(drawn, differs.value)


@pytest.mark.requirement("004-1804")
@pytest.mark.parametrize(
    ("method", "body", "conflict", "is_there"),
    [
        ("PATCH", {"name": "Ada"}, {"current": {"name": "Ada"}, "yours": None}, True),
        ("PATCH", {"name": "Ada"}, {"current": {"name": "Bob"}, "yours": None}, False),
        ("DELETE", None, {"current": {"name": "Ada"}, "yours": None}, False),
        ("POST", {"start": "x"}, {"current": {"start": "x"}, "yours": None}, False),
        ("PUT", {"name": "Ada"}, {"current": None, "yours": {"name": "Ada"}}, False),
    ],
)
def test_only_what_stands_there_as_it_was_typed_is_saved(method, body, conflict, is_there):
    assert saving.is_there(method, body, Refused(412, "", conflict=conflict)) is is_there


@pytest.mark.requirement("004-1802")
def test_no_page_sends_past_what_is_done_once():
    """A page is given the server; one that made its own, or asked where it changes, would do it twice."""
    calls: dict[str, set[str]] = {"ask": set(), "Server": set()}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                name = "Server" if called == "Server" else called.partition("server.")[2]
                if name in calls:
                    calls[name].add(path.relative_to(ROOT).as_posix())
    assert calls == {"ask": ASK, "Server": MAKE}
