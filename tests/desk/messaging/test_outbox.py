"""The outbox: what was promised is finished later, once, however many work at it and whoever dies."""

import asyncio
import logging
from datetime import timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.window import WindowRule, left_s
from switchboard.desk.contact.recipients import Recipient
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.messages import Messages
from switchboard.desk.messaging.outbox import Outbox
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, SALON, StoppedClock, call, stored, write_down
from tests.desk.phone_network import (
    AWAY,
    BUSY,
    CALLER,
    LOST,
    OTHER,
    OWNER,
    REFUSED,
    STOPPED,
    MemoryMail,
    document,
    phone_salon,
    texts_over,
)

PATHS = FirestorePaths()
ID = "demo-salon"


@pytest.fixture
def mail() -> MemoryMail:
    return MemoryMail()


@pytest.fixture
def outbox(store, texts, mail, clock) -> Outbox:
    return Outbox(store, PATHS, texts, mail, clock)


@pytest.fixture(autouse=True)
async def business(store):
    await furnish(store, ID)


async def furnish(store, id, rules=None, **settings):
    await write_down_business(store, id, SALON | document(rules, **settings))


async def write_down_business(store, id, fields):
    from switchboard.contract.store import Set

    await store.commit([Set(PATHS.within(id).business, fields)])


def waiting(n=1, to=CALLER, **changes):
    """Return a text as others leave it in the outbox, such as a booking's confirmation."""
    return {
        "id": f"txt_{n}",
        "kind": "text",
        "state": "todo",
        "to": to,
        "body": f"Your appointment {n} is confirmed.",
        "createdAt": NOW + timedelta(seconds=n),
        "expireAt": NOW + timedelta(hours=2),
        "effectKey": f"booking {n}",
        **changes,
    }


async def left(store, *texts, business_id=ID):
    await write_down(store, business_id, "outbox", {text["id"]: text for text in texts})


async def states(store, business_id=ID):
    return {id: d["state"] for id, d in (await stored(store, business_id, "outbox")).items()}


async def drain_until_quiet(outbox, clock, hours=3):
    """Drain as a scheduler does, once a minute."""
    for _ in range(hours * 60):
        await outbox.drain()
        clock.wait(60)


async def test_a_text_that_was_left_is_sent_once(outbox, network, store):
    """As the bookings leave it: checked and counted here."""
    await left(store, waiting())
    assert (await outbox.drain(), await outbox.drain()) == (1, 0)
    assert [text.body for text in network.sent] == ["Your appointment 1 is confirmed."]
    found = (await stored(store, ID, "outbox"))["txt_1"]
    assert (found["state"], found["attempt"], found["providerId"]) == ("sent", 1, network.sent[0].id)


async def test_every_businesss_outbox_is_drained_and_none_by_anothers_account(outbox, network, store):
    """Each text below its own business; a document that names another business is left alone."""
    await furnish(store, "second")
    await left(store, waiting())
    await left(store, waiting(2), waiting(3, businessId=ID), business_id="second")
    assert await outbox.drain() == 2
    assert await states(store, "second") == {"txt_2": "sent", "txt_3": "todo"}
    assert len(network.sent) == 2


async def test_the_oldest_go_first_and_the_rest_next_time(outbox, network, store):
    """At most `limit` documents, over any number of pages."""
    await left(store, *(waiting(n, to=f"+1518{200 + n}0000") for n in range(1, 8)))
    assert (await outbox.drain(3), await outbox.drain(100)) == (3, 4)
    assert [text.body.split()[2] for text in network.sent] == [str(n) for n in range(1, 8)]


async def test_each_kind_of_store_gives_what_is_open_page_by_page(watched, network, mail, clock):
    """The query, its cursor and the claims, also on the emulator."""
    await furnish(watched, ID, textsPerHour=500)
    later = {"notBefore": NOW + timedelta(hours=1)}
    await left(watched, *(waiting(n, **later) for n in range(110)), waiting(200), waiting(201, to=OTHER))
    await left(watched, waiting(202, state="sent"), waiting(203, kind="email"))
    boxes = [Outbox(watched, PATHS, texts_over(watched, network, clock), mail, clock) for _ in range(2)]
    assert sum(await asyncio.gather(*(box.drain() for box in boxes))) == 2
    assert {text.to for text in network.sent} == {CALLER, OTHER}
    assert len(network.sent) == 2


async def test_what_waits_for_a_later_time_keeps_nobody_behind_it_waiting(outbox, network, store):
    """Three hundred that must wait, and one behind them that need not."""
    later = {"notBefore": NOW + timedelta(hours=1)}
    await left(store, *(waiting(n, **later) for n in range(300)), waiting(400))
    assert await outbox.drain(5) == 1
    assert len(network.sent) == 1


async def test_ten_drains_at_once_send_every_text_once(store, network, mail, clock):
    """Whoever writes first has it."""
    await left(store, *(waiting(n, to=f"+1518{200 + n}0000") for n in range(25)))
    boxes = [Outbox(store, PATHS, texts_over(store, network, clock), mail, clock) for _ in range(10)]
    await asyncio.gather(*(box.drain() for box in boxes))
    assert sorted(text.body for text in network.sent) == sorted(waiting(n)["body"] for n in range(25))


async def test_a_crowded_network_is_tried_again_after_longer_and_longer_pauses(outbox, network, store, clock):
    """And the text is sent once."""
    await left(store, waiting())
    network.fail(BUSY, times=4)
    await drain_until_quiet(outbox, clock, 1)
    assert (network.posts, len(network.sent)) == (5, 1)


async def test_a_network_that_stays_crowded_is_asked_a_few_times_and_not_for_ever(outbox, network, store, clock):
    """Until the text is not worth sending any more."""
    await left(store, waiting())
    network.fail(BUSY, times=1_000)
    await drain_until_quiet(outbox, clock)
    assert network.posts < 20
    assert await states(store) == {"txt_1": "failed"}


async def test_a_text_comes_in_time_or_not_at_all(outbox, network, store, clock):
    """A confirmation after its `expireAt` helps nobody."""
    await left(store, waiting())
    clock.wait(2 * 3600)
    assert await outbox.drain() == 1
    assert (await states(store), network.posts) == ({"txt_1": "failed"}, 0)


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_lost_answer_is_looked_up_and_never_sent_again_by_itself(outbox, network, store, clock, accepted):
    """Reliability §2, row 13: at most one text, and its document says what became of it."""
    await left(store, waiting())
    network.fail(LOST, accepted=accepted)
    await outbox.drain()
    assert await states(store) == {"txt_1": "unknown"}
    await drain_until_quiet(outbox, clock, 1)
    assert (network.posts, len(network.sent)) == (1, int(accepted))
    assert await states(store) == {"txt_1": "sent" if accepted else "failed"}


async def test_a_process_that_died_while_sending_leaves_at_most_one_text(outbox, network, store, clock):
    """Found in `sending`: left to its owner until the lease is over, then looked up."""
    await left(store, waiting(state="sending", attempt=1, attemptedAt=NOW, leaseUntil=NOW + timedelta(seconds=30)))
    assert await outbox.drain() == 0
    await drain_until_quiet(outbox, clock, 1)
    assert (network.posts, await states(store)) == (0, {"txt_1": "failed"})


@pytest.mark.parametrize("error", [REFUSED, STOPPED])
async def test_what_the_network_refuses_is_not_tried_again(outbox, network, store, clock, error):
    """Nor is a number asked for that has opted out."""
    await left(store, waiting())
    network.fail(error)
    await drain_until_quiet(outbox, clock, 1)
    await left(store, waiting(2, createdAt=clock.now(), expireAt=clock.now() + timedelta(hours=1)))
    await outbox.drain()
    assert network.posts == (1 if error is STOPPED else 2)
    assert (await states(store))["txt_1"] == "failed"


@pytest.mark.parametrize(
    "changes", [{"to": "+19005550123"}, {"to": "911"}, {"to": None}, {"body": ""}, {"body": "\x07"}, {"body": 7}]
)
async def test_a_text_that_cannot_be_sent_fails_and_blocks_nobody(outbox, network, store, changes):
    """Documents of other hands are bad as a rule."""
    await left(store, waiting(**changes), waiting(2))
    await outbox.drain()
    assert await states(store) == {"txt_1": "failed", "txt_2": "sent"}


async def test_texts_of_the_outbox_count_like_all_others(outbox, network, store, clock):
    """The fourth in ten minutes waits for the window's end, and is sent then."""
    await left(store, *(waiting(n) for n in range(4)))
    await outbox.drain()
    assert sorted((await states(store)).values()) == ["sent", "sent", "sent", "todo"]
    await drain_until_quiet(outbox, clock, 1)
    assert len(network.sent) == 4


@pytest.mark.requirement("004-795")
async def test_a_text_that_was_one_too_many_is_not_tried_again_before_the_window_ends(outbox, network, store, clock):
    """Each try counts and gives back in a handful of documents: minute by minute that would cost more than the text."""
    await left(store, *(waiting(n) for n in range(4)))
    await outbox.drain()
    (refused,) = (text for text in (await stored(store, ID, "outbox")).values() if text["state"] == "todo")
    in_s = left_s(clock.now(), WindowRule("number", 3, 600))
    assert refused["dueAt"] == refused["notBefore"] == clock.now() + timedelta(seconds=in_s)
    clock.wait(in_s - 1)
    writes = store.asked["commit"]
    await outbox.drain()
    assert (store.asked["commit"], len(network.sent)) == (writes, 3)


async def test_without_an_account_texts_fail_and_say_why(outbox, network, store):
    """The owner finds out in the document."""
    await furnish(store, ID, isConnected=False)
    await left(store, waiting())
    await outbox.drain()
    found = (await stored(store, ID, "outbox"))["txt_1"]
    assert (found["state"], found["error"]["type"]) == ("failed", "PERMANENT")


async def test_a_network_that_is_away_or_a_store_that_fails_leaves_the_text_for_later(outbox, network, store, caplog):
    """Nothing is lost, and others are not kept waiting."""
    caplog.set_level(logging.ERROR)
    await left(store, waiting())
    store.fail("commit")
    assert await outbox.drain() == 0
    store.recover()
    assert await states(store) == {"txt_1": "todo"}
    assert (await outbox.drain(), len(network.sent)) == (1, 1)


async def test_a_business_that_is_gone_and_kinds_of_others_are_left_alone(outbox, network, store):
    """E-mail has its own way."""
    await left(store, waiting(), business_id="gone")
    await left(store, waiting(2, kind="email"))
    assert (await outbox.drain(), network.posts) == (0, 0)


class Reads:
    """A store that counts the documents it gives away."""

    def __init__(self, inner):
        self.inner, self.count = inner, 0

    async def query(self, query):
        found = await self.inner.query(query)
        self.count += len(found)
        return found

    async def get(self, path):
        self.count += 1
        return await self.inner.get(path)

    async def get_many(self, paths):
        self.count += len(paths)
        return await self.inner.get_many(paths)

    async def commit(self, writes):
        return await self.inner.commit(writes)


@pytest.mark.parametrize("says_when", [True, False], ids=["that say when they are due", "of an earlier version"])
async def test_a_drain_reads_what_is_due_and_little_of_what_waits(watched, network, mail, clock, says_when):
    """At most a hundred documents, whatever waits; of an earlier version's too, which are taken in page by page."""
    await furnish(watched, ID, textsPerHour=500)
    later = {"notBefore": NOW + timedelta(hours=1)} | ({"dueAt": NOW + timedelta(hours=1)} if says_when else {})
    many = 10_000 if isinstance(watched.inner, MemoryStore) else 1_000
    for begin in range(0, many, 400):
        await left(watched, *(waiting(n, **later) for n in range(begin, min(many, begin + 400))))
    fresh = waiting(many + 1) | ({"dueAt": NOW} if says_when else {})
    await left(watched, fresh)
    reads = Reads(watched)
    outbox = Outbox(reads, PATHS, texts_over(reads, network, clock), mail, clock)
    for _ in range(3):
        reads.count = 0
        await outbox.drain()
        assert reads.count <= 100
    assert [text.body for text in network.sent] == [fresh["body"]]


async def test_what_an_earlier_version_has_left_is_taken_in_however_old_it_is(outbox, network, store, clock):
    """Also behind many that wait: none of them says when it is due."""
    later = {"notBefore": NOW + timedelta(hours=5)}
    await left(store, waiting(0), *(waiting(n, **later) for n in range(1, 500)))
    for _ in range(20):
        await outbox.drain()
        clock.wait(10)
    assert len(network.sent) == 1
    found = await stored(store, ID, "outbox")
    assert all(document["dueAt"] == later["notBefore"] for id, document in found.items() if id != "txt_0")
    assert "dueAt" not in found["txt_0"]


@pytest.mark.requirement("004-462")
async def test_what_is_left_without_an_end_gets_one(outbox, store, clock):
    """Whoever has left it; what says until when it is kept keeps that."""
    kept = waiting(1, notBefore=NOW + timedelta(hours=5)) | {"expireAt": NOW + timedelta(days=2)}
    await left(store, {n: v for n, v in waiting(0).items() if n != "expireAt"}, kept)
    await outbox.drain()
    found = await stored(store, ID, "outbox")
    assert found["txt_0"]["expireAt"] > NOW + timedelta(days=1)
    assert found["txt_1"]["expireAt"] == kept["expireAt"]


async def test_what_others_leave_later_is_found_by_the_next_drain(outbox, network, store, clock):
    """They know nothing of when a document is due."""
    for n in range(3):
        await outbox.drain()
        clock.wait(2_000)
        await left(store, waiting(n, createdAt=clock.now()))
        assert await outbox.drain() == 1
    assert len(network.sent) == 3


async def test_documents_that_nobody_can_handle_keep_no_other_waiting_and_are_given_up(store, network, mail, clock):
    """Sixty, which is more than a page: tried less and less often, and in the end they have failed, and say why."""

    class Breaks:
        tried = 0

        async def carry_on(self, ctx, document):
            if document.id.startswith("bad"):
                Breaks.tried += 1
                raise AssertionError("nobody foresaw this")
            return await texts.carry_on(ctx, document)

    texts = texts_over(store, network, clock)
    outbox = Outbox(store, PATHS, Breaks(), mail, clock)
    await left(store, *(waiting(n, id=f"bad{n}", dueAt=NOW - timedelta(hours=1)) for n in range(65)))
    await left(store, waiting(100, dueAt=NOW, expireAt=NOW + timedelta(days=2)))
    assert await outbox.drain() == 1
    assert len(network.sent) == 1
    for _ in range(4 * 60):
        clock.wait(60)
        await outbox.drain()
    assert Breaks.tried <= 65 * 12
    found = [d for id, d in (await stored(store, ID, "outbox")).items() if id.startswith("bad")]
    assert {(d["state"], d["givenUp"], "dueAt" in d) for d in found} == {("failed", "AssertionError", False)}


async def take(store, text="Please call me back about Tuesday.", ctx=None):
    ctx = ctx or call(phone_salon(), verified=True)
    return await Messages(RateLimits(store, StoppedClock())).take(ctx, "Anna Whitfield", text)


async def test_a_message_reaches_the_owner_by_text_and_by_mail(outbox, network, mail, store):
    """As the rule for messages says: its destination, and its e-mail."""
    taken = await take(store)
    await outbox.drain()
    (sent,) = network.sent
    assert sent.to == OWNER
    assert all(word in sent.body for word in ("Anna Whitfield", CALLER, "about Tuesday"))
    ((to, subject, body, message_id),) = mail.sent
    assert (to, subject, message_id) == ("rosa@example.com", "Message from Anna Whitfield", taken.id)
    assert "about Tuesday" in body
    assert (await stored(store, ID, "outbox"))[taken.id]["ways"] == {"text": "sent", "email": "sent"}
    assert set((await states(store)).values()) == {"sent"}
    assert await outbox.drain() == 0


async def test_a_message_is_brought_once_by_ten_drains_at_once(store, network, mail, clock):
    """One text and one e-mail each."""
    for n in range(5):
        await take(store, ctx=call(phone_salon(), f"wish {n}", verified=True))
    boxes = [Outbox(store, PATHS, texts_over(store, network, clock), mail, clock) for _ in range(10)]
    await asyncio.gather(*(box.drain() for box in boxes))
    assert (len(network.sent), len(mail.sent)) == (5, 5)


async def test_one_way_that_works_is_enough_and_the_other_is_tried_again(outbox, network, mail, store, clock):
    """The mail server is busy at first; the text is not sent twice for that."""
    taken = await take(store)
    mail.failures = [AWAY, AWAY]
    await outbox.drain()
    assert (await states(store))[taken.id] == "todo"
    await drain_until_quiet(outbox, clock, 1)
    assert (len(network.sent), len(mail.sent)) == (1, 1)
    assert (await states(store))[taken.id] == "sent"


async def test_an_email_of_which_nobody_knows_is_not_sent_again(outbox, mail, store, clock):
    """The text has brought the message anyway."""
    taken = await take(store)
    mail.failures = [LOST]
    await drain_until_quiet(outbox, clock, 1)
    found = (await stored(store, ID, "outbox"))[taken.id]
    assert (found["state"], found["ways"], mail.sent) == ("sent", {"text": "sent", "email": "unknown"}, [])


async def test_what_is_under_way_is_written_down_before_it_is(outbox, mail, store):
    """Or a process that dies while the mail server listens would send it again."""
    taken, seen = await take(store), []

    async def look() -> None:
        seen.append((await stored(store, ID, "outbox"))[taken.id])

    mail.before_send = look
    await outbox.drain()
    assert [(found["state"], found["ways"]) for found in seen] == [("sending", {"text": "sending", "email": "sending"})]
    assert seen[0]["leaseUntil"] > NOW


async def test_a_process_that_died_while_bringing_a_message_repeats_neither_way(outbox, network, mail, store, clock):
    """What it had claimed: the text knows by itself, of the e-mail nobody knows."""
    taken = await take(store)
    died = {"state": "sending", "ways": {"text": "sending", "email": "sending"}, "leaseUntil": NOW, "attempt": 1}
    found = (await stored(store, ID, "outbox"))[taken.id]
    await write_down(store, ID, "outbox", {taken.id: found | died})
    await drain_until_quiet(outbox, clock, 1)
    assert (len(network.sent), len(mail.sent)) == (1, 0)
    assert (await states(store))[taken.id] == "sent"


@pytest.mark.parametrize("rules", [[], [{"id": "m", "action": "message"}]])
async def test_a_message_that_nobody_is_named_for_fails_and_says_so(outbox, store, rules):
    """The document keeps it for the owner's page."""
    await furnish(store, ID, rules)
    taken = await take(store)
    await outbox.drain()
    found = (await stored(store, ID, "outbox"))[taken.id]
    assert (found["state"], found["text"]) == ("failed", "Please call me back about Tuesday.")
    assert "no escalation rule" in found["error"]


async def test_a_landline_gets_no_text_but_the_mail_comes(outbox, network, mail, store):
    """What cannot be texted is no reason not to bring it."""
    rule = {"id": "m", "action": "message", "destination": "+493023125411", "email": "werkstatt@example.com"}
    await write_down_business(
        store, ID, SALON | document([rule]) | {"phone": "+493023125410", "ai": {"language": "de"}}
    )
    taken = await take(store, "Rohrbruch!\n" * 150)
    await outbox.drain()
    assert (network.posts, [row[1] for row in mail.sent]) == (0, ["Nachricht von Anna Whitfield"])
    assert (await stored(store, ID, "outbox"))[taken.id]["state"] == "sent"


@pytest.mark.requirement("004-132")
async def test_whoever_would_call_back_is_warned_by_text_and_by_mail_of_a_number_that_costs_extra(
    outbox, network, mail, store
):
    """Above the words, which may be cut off; an ordinary number is not marked."""
    for text, is_warned in (("Ring +44 909 879 0000, please.", True), ("Ring +44 20 7946 0000, please.", False)):
        network.sent.clear()
        mail.sent.clear()
        await take(store, text, call(phone_salon(), text, session=text, verified=True))
        await outbox.drain()
        for told in (network.sent[0].body, mail.sent[0][2]):
            assert ("calling this number costs extra" in told) is is_warned
            assert not is_warned or told.index("costs extra") < told.index("Ring")


@pytest.mark.requirement("004-132")
def test_a_text_that_a_caller_has_sent_to_the_owner_carries_the_warning_too():
    """And one to the caller does not: it is theirs."""
    ctx = call(phone_salon(), verified=True)
    owner, caller = (Recipient("+15185550143", "Rosa", purpose) for purpose in ("message", "sms"))
    assert "costs extra" in owner.introduced(ctx, "Ring +44 909 879 0000.")
    assert caller.introduced(ctx, "Ring +44 909 879 0000.") == "Ring +44 909 879 0000."


async def test_a_long_message_is_cut_for_the_text_and_whole_in_the_mail(outbox, network, mail, store):
    """Six segments are enough to know whether to read the mail."""
    await take(store, "word " * 400)
    await outbox.drain()
    assert network.sent[0].body.endswith("...")
    assert len(network.sent[0].body) <= 918
    assert mail.sent[0][2].count("word") == 400


async def test_messages_that_everybody_refuses_fail_in_the_end_and_are_logged(
    outbox, network, mail, store, clock, caplog
):
    """Without an account for either; the caller was told that it is taken, so that somebody has to hear of it."""
    mail.is_connected = False
    network.fail(ToolError(ErrorType.PERMANENT, "Never."), times=100)
    taken = await take(store)
    await drain_until_quiet(outbox, clock, 1)
    assert (await states(store))[taken.id] == "failed"
    assert [r.getMessage() for r in caplog.records if r.levelname == "ERROR"] == ["message for the owner not brought"]


async def test_a_document_that_nobody_foresaw_does_not_stop_the_others(outbox, network, store, caplog):
    """It is logged, and the next is done."""
    caplog.set_level(logging.ERROR)
    await left(store, waiting(1, kind="message", attempt="many"), waiting(2))
    await outbox.drain()
    assert (await states(store))["txt_2"] == "sent"
    assert "outbox document failed" in caplog.text
