"""Credentials that stand in a tool as they are: who saves one is told, and who may not edit tools never reads it."""

import json
from typing import Any

import pytest

from switchboard.admin.documents.literals import without_literals
from switchboard.contract.store import Update
from tests.admin.tool_house import WITHIN, ToolHouse

CANARY = "LITERAL5f3a9c"
HIDDEN = "(hidden)"
TYPED: dict[str, Any] = {
    "type": "api_request",
    "label": "Stock",
    "description": "Tells what is in stock.",
    "request": {
        "method": "GET",
        "url": f"https://api.example.com/stock?shop=main&apikey={CANARY}&q={{{{word}}}}",
        "headers": {
            "Authorization": f"Bearer {CANARY}",
            "X-Key": CANARY,
            "X-Other": {"secret": "stock_key", "prefix": "Bearer "},
            "X-Token": "{{secret.stock_key}}",
            "Accept": "application/json",
        },
    },
    "params": {"word": {"mode": "ai", "prompt": "What"}, "access_token": {"mode": "fixed", "value": CANARY}},
}
PLACES = ["request.url", "request.headers.Authorization", "request.headers.X-Key", "params.access_token.value"]


@pytest.mark.requirement("004-983")
async def test_whoever_saves_a_credential_in_a_tool_is_told_to_make_it_a_secret(house: ToolHouse):
    """By its place, and not what it is; a secret that is named, and a variable, are none."""
    saved = await house.done("POST", "tools", TYPED)
    told = {one["place"]: one["text"] for one in saved["findings"] if one["rule"] == "literal-credential"}
    assert list(told) == PLACES
    assert all("enter it under Secrets" in text and CANARY not in text for text in told.values())
    named = {**TYPED["request"], "url": "https://api.example.com/stock?key={{word}}"}
    named["headers"] = {name: named["headers"][name] for name in ("X-Other", "X-Token", "Accept")}
    params = {"word": TYPED["params"]["word"]}
    saved = await house.done("PATCH", f"tools/{saved['tool']['id']}", {"request": named, "params": params})
    assert "literal-credential" not in [one["rule"] for one in saved["findings"]]


@pytest.mark.requirement("004-983")
def test_what_names_a_wish_is_no_credential():
    """It stays in a bundle, so that what is brought in elsewhere is done once there, too."""
    headers = {"Idempotency-Key": "order-{{id}}", "X-Idempotency-Key": "order-7", "X-Key": CANARY}
    kept = without_literals({"headers": headers})["headers"]
    assert kept == headers | {"X-Key": HIDDEN}


@pytest.mark.requirement("004-983")
async def test_whoever_may_not_edit_tools_never_reads_it(house: ToolHouse):
    """In the list, in one, at an agent, and in what a vendor has of it; whoever may edit tools edits it as it is."""
    tool = await house.make(TYPED)
    await house.attach(tool)
    theirs = {"data.server": {"url": f"https://x.example.com/?token={CANARY}", "headers": {"X-Api-Key": CANARY}}}
    await house.store.commit([Update(WITHIN.document("tools", tool["id"]), theirs)])
    for path in ("tools", f"tools/{tool['id']}", "agents/ada/tools", "agents/bob/tools"):
        answers = {by: (await house.done("GET", path, by=by)) for by in ("viewer", "editor", "owner")}
        assert CANARY not in json.dumps(answers["viewer"])
        assert HIDDEN in json.dumps(answers["viewer"])
        assert CANARY in json.dumps(answers["editor"]) and CANARY in json.dumps(answers["owner"])
    seen = (await house.done("GET", f"tools/{tool['id']}", by="viewer"))["tool"]["configMetadata"]
    assert seen == without_literals(TYPED)
    assert seen["request"]["url"] == f"https://api.example.com/stock?shop=main&apikey={HIDDEN}&q={{{{word}}}}"
    kept = {name: seen["request"]["headers"][name] for name in ("X-Other", "X-Token", "Accept")}
    assert kept == {name: TYPED["request"]["headers"][name] for name in kept}
