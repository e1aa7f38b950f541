"""Who may call a tool back: one of the business's keys in three places, or a fresh signature."""

import pytest

from stand_ins.vapi.asking import body_of, message_of
from switchboard.contract.store import Query, Set
from switchboard.formats.vapi.call_facts import static_parameters
from tests.channels.vapi.house import (
    BUSINESS,
    KEY,
    NUMBER,
    READER,
    RIVAL,
    RIVALS_NUMBER,
    SECRET,
    VARIABLES,
    business,
    one,
    understood,
)
from tests.pipeline.conftest import PATHS
from tests.pipeline.planted import done

MESSAGE = message_of(one("act", {"what": "book"}), VARIABLES)


@pytest.mark.requirement("002-130")
@pytest.mark.parametrize("headers", [{"authorization": f"Bearer {KEY}"}, {"x-vapi-secret": KEY}])
async def test_a_key_of_the_business_lets_a_callback_in(house, headers):
    """As a bearer, or as the header that older servers at Vapi send."""
    assert "result" in understood(await house.execute("act", MESSAGE, **headers))[0]


@pytest.mark.requirement("002-130")
async def test_the_key_may_stand_in_a_mirrored_tools_hidden_parameter(house):
    """Of a message and of an `apiRequest`; no tool ever sees it."""
    tool = {"parameters": static_parameters(KEY)}
    answer = await house.client.post("/api/tools/act/execute", json=body_of(tool, {"what": "book"}, VARIABLES))
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "data": {"done": "book"}})
    message = message_of(one("act", {"what": "cut", "toolKey": KEY}, "call_2"), VARIABLES)
    assert "result" in understood(await house.client.post("/api/tools/act/execute", json=message))[0]
    kept = await house.store.inner.get(PATHS.within(BUSINESS).call(VARIABLES["call.id"], "call_2"))
    assert KEY not in str(kept)


@pytest.mark.requirement("002-130")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-nothing": "1"}, 401),
        ({"authorization": "Bearer guessed"}, 401),
        ({"authorization": f"Basic {KEY}"}, 401),
        ({"authorization": ""}, 401),
        ({"x-vapi-secret": ""}, 401),
        ({"x-vapi-secret": "guessed"}, 401),
        ({"x-vapi-secret": SECRET}, 401),
        ({"authorization": f"Bearer {READER}"}, 403),
    ],
)
async def test_what_proves_nothing_is_refused_and_nothing_is_written(house, headers, status):
    """Also a key that may only read, and the secret itself, which is for signing."""
    before = house.store.asked["commit"]
    for body in (MESSAGE, {"what": "book"}, {"message": {"type": "hang"}}):
        answer = await house.execute("act", body, **headers)
        assert (answer.status_code, answer.json()["error"]["type"]) == (status, "AUTH")
    assert house.store.asked["commit"] == before and not done


async def test_a_stranger_is_not_even_told_what_is_wrong_with_the_body(house):
    answer = await house.client.post("/api/tools/act/execute", content=b"{")
    assert answer.status_code == 401


@pytest.mark.requirement("002-130")
@pytest.mark.parametrize("form", ["hex", "base64"])
@pytest.mark.parametrize("query", ["", "?business=", f"?business={BUSINESS}"])
async def test_a_fresh_signature_with_the_businesss_secret_lets_a_callback_in(house, form, query):
    """The called number says whose signature it is, or the address does; both are only claims until it matches."""
    answer = await house.signed("/tools/act/execute", MESSAGE, form=form, query=query)
    assert "result" in understood(answer)[0]


async def test_the_vendors_own_vector_is_right():
    """Wire-formats §0.5: `{timestamp}.{body}`, SHA-256, hex."""
    from switchboard.channels.vapi.request import _is_signed

    body = b'{"message":{"type":"tool-calls"}}'
    vector = "c23861d093cd9bed52bbbd014dcf7d9815528cba74b86d45273f935557a80c8e"
    assert _is_signed("secret", "1700000000", body, vector)
    assert _is_signed("secret", "1700000000", body, f"sha256={vector}")
    assert not _is_signed("secret", "1700000001", body, vector)


@pytest.mark.requirement("002-130")
@pytest.mark.parametrize(
    "how",
    [
        {"secret": "guessed"},
        {"secret": "rivals-secret"},
        {"secret": ""},
        {"moved_s": -301},
        {"moved_s": 301},
        {"moved_s": 1e10},
        {"query": f"?business={RIVAL}"},
        {"query": "?business=nobody"},
    ],
)
async def test_a_signature_that_does_not_count_is_refused(house, how):
    """Another's secret, too old, too early, for another business."""
    before = house.store.asked["commit"]
    answer = await house.signed("/tools/act/execute", MESSAGE, **how)
    assert (answer.status_code, answer.json()["error"]["type"]) == (403, "AUTH")
    assert house.store.asked["commit"] == before and not done


@pytest.mark.parametrize(
    "headers",
    [
        {"x-signature": "signé".encode("latin-1"), "x-timestamp": b"1"},
        {"x-signature": b"00", "x-timestamp": "١٢٣".encode()},
        {"x-signature": b"00"},
        {"x-signature": b"", "x-timestamp": b"-1"},
        {"x-signature": b"zz", "x-timestamp": b"99999999999999999999"},
    ],
)
async def test_headers_that_are_no_signature_are_refused_and_break_nothing(house, headers):
    """Reliability row 31."""
    answer = await house.client.post("/api/tools/act/execute", json=MESSAGE, headers=headers)
    assert answer.status_code == 403


async def test_a_timestamp_in_milliseconds_is_one_too(house):
    """Vapi does not say which it sends."""
    import hmac
    import json

    raw, stamp = json.dumps(MESSAGE).encode(), str(int(house.clock.now().timestamp() * 1000))
    signature = hmac.digest(SECRET.encode(), stamp.encode() + b"." + raw, "sha256").hex()
    headers = {"x-signature": signature, "x-timestamp": stamp}
    answer = await house.client.post("/api/tools/act/execute", content=raw, headers=headers)
    assert "result" in understood(answer)[0]


async def test_a_replayed_request_gets_the_answer_it_got_and_does_nothing(house):
    """Reliability row 30; an `apiRequest` too, for as long as its signature counts."""
    body = body_of({"parameters": static_parameters()}, {"what": "book"}, VARIABLES)
    first = await house.signed("/tools/act/execute", body)
    house.clock.wait(120)
    replayed = await house.signed("/tools/act/execute", body, moved_s=-120)
    assert (first.status_code, first.content) == (200, replayed.content)
    assert len(done) == 1
    # Not even as a call that turns out to be the same wish.
    ledger = Query(PATHS.within(BUSINESS).calls(VARIABLES["call.id"]))
    assert len(await house.store.inner.query(ledger)) == 1


async def test_one_byte_of_a_signed_body_cannot_be_changed(house):
    import json

    signed = await house.signed("/tools/look/execute", MESSAGE)
    headers = {name: signed.request.headers[name] for name in ("x-signature", "x-timestamp")}
    changed = json.dumps(MESSAGE).encode().replace(b'"what', b'"whut')
    answer = await house.client.post("/api/tools/look/execute", content=changed, headers=headers)
    assert answer.status_code == 403


async def test_of_two_businesses_that_claim_a_number_the_one_that_signs_has_it(house):
    """Whatever another has entered, the number's own requests are let in."""
    await house.store.inner.commit([Set(PATHS.within("third").business, business(NUMBER))])
    assert (await house.signed("/tools/act/execute", MESSAGE)).status_code == 200
    assert (await house.signed("/tools/act/execute", MESSAGE, secret="rivals-secret")).status_code == 403


async def test_a_business_in_the_address_that_disagrees_with_the_key_is_refused(house):
    """Never obeyed."""
    answer = await house.client.post(
        f"/api/tools/act/execute?business={RIVAL}", json=MESSAGE, headers={"authorization": f"Bearer {KEY}"}
    )
    assert answer.status_code == 403 and not done


async def test_a_signature_of_one_business_runs_nothing_of_another(house):
    """Whose number the body names decides whose secret counts."""
    theirs = message_of(one("act", {"what": "x"}), VARIABLES | {"phoneNumber.number": RIVALS_NUMBER})
    assert (await house.signed("/tools/act/execute", theirs)).status_code == 403
    assert (await house.signed("/tools/act/execute", theirs, secret="rivals-secret")).status_code == 200
    ledger = await house.store.inner.get(PATHS.within(RIVAL).call(VARIABLES["call.id"], "call_1"))
    assert ledger is not None
