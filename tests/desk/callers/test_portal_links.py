"""Portal links: for one caller, for a quarter of an hour, and for one visit."""

import asyncio
import base64
import json
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Delete, Set
from switchboard.desk.callers.portal_links import PortalLinks
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, StoppedClock, call, salon, stored
from tests.desk.phone_network import CALLER

KEY = bytes(range(32))
SALON = salon(portalUrl="https://portal.example/start?ref=1#top")


@pytest.fixture
def links(store, clock) -> PortalLinks:
    return PortalLinks(store, clock, KEY)


async def issue(links, business=SALON, **more):
    """Issue a link whose text is sent."""
    ctx = call(business, **more)
    link = await links.issue(ctx)
    await links.sent(ctx, link)
    return link


def redeem(links, text, business_id=SALON.id):
    return links.redeem(text, business_id, FirestorePaths().within(business_id))


def token(link) -> str:
    return parse_qs(urlsplit(link.url).query)["link"][0]


async def refused(links, text, business_id=SALON.id) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await redeem(links, text, business_id)
    assert caught.value.type is ErrorType.AUTH
    return caught.value


async def test_a_link_lets_the_same_caller_in(links):
    """The number, session and record of the phone call that it was asked for on."""
    ctx = call(SALON)
    facts = PhoneContext(business_id=SALON.id, session_id="session-1", caller_phone=CALLER, caller_id="c1")
    link = await links.issue(replace(ctx, facts=facts))
    assert (link.expires_at - NOW).total_seconds() == 900
    visit = await redeem(links, token(link))
    assert (visit.business_id, visit.session_id, visit.caller_phone, visit.caller_id) == (
        SALON.id,
        "session-1",
        CALLER,
        "c1",
    )


async def test_a_link_opens_once(links):
    """Of ten visits at once one is let in; later ones are not."""
    text = token(await issue(links))
    done = await asyncio.gather(*(redeem(links, text) for _ in range(10)), return_exceptions=True)
    assert sum(not isinstance(visit, ToolError) for visit in done) == 1
    await refused(links, text)


async def test_a_link_opens_for_a_quarter_of_an_hour(links, clock):
    """Not a second longer."""
    text = token(await issue(links))
    clock.wait(899)
    await redeem(links, text)
    later = token(await issue(links, wish="other", now=clock.now()))
    clock.wait(900)
    await refused(links, later)


async def test_a_link_opens_no_other_businesss_portal(links, store):
    """And one business's caller is none of another's."""
    await issue(links, salon("other", portalUrl="https://other.example"))
    text = token(await issue(links))
    await refused(links, text, "other")
    # Not even where somebody could write there what belongs here.
    (path,) = [path for path in store.paths if path.startswith("businesses/demo-salon/tickets/portal:")]
    ticket = await store.get(path)
    await store.commit([Set(path.replace("demo-salon", "other"), ticket.data)])
    await refused(links, text, "other")
    await redeem(links, text)


async def test_whatever_is_wrong_with_a_link_is_said_in_the_same_words(links, clock):
    """Nobody learns which part to try next."""
    used = token(await issue(links, wish="used"))
    await redeem(links, used)
    replaced, foreign, old = [token(await issue(links, wish=wish)) for wish in ("replaced", "foreign", "old")]
    messages = {(await refused(links, used)).message, (await refused(links, foreign, "other")).message}
    messages.add((await refused(links, replaced)).message)
    clock.wait(900)
    messages |= {(await refused(links, old)).message, (await refused(links, "nonsense")).message}
    assert len(messages) == 1


async def test_no_part_of_a_link_can_be_exchanged(links):
    """Business, session, caller, expiry and id: each is signed."""
    text = token(await issue(links))
    body, _, signature = text.partition(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    for n, other in enumerate(["other", "x", "x", 4_000_000_000, "x"]):
        forged = json.dumps([*claims[:n], other, *claims[n + 1 :]], separators=(",", ":"))
        await refused(links, f"{base64.urlsafe_b64encode(forged.encode()).decode()}.{signature}", str(claims[0]))
    await redeem(links, text)


async def test_a_link_of_another_key_is_worth_nothing(links, store, clock):
    """Nor is a key that is too short to protect anything."""
    other = PortalLinks(store, clock, bytes(32))
    await refused(links, token(await issue(other)))
    with pytest.raises(ValueError):
        PortalLinks(store, clock, b"short")


async def test_a_link_whose_ticket_was_exchanged_lets_nobody_in(links, store, clock):
    """The keyed hash in the link must be that of the caller whom the ticket names."""
    text = token(await issue(links))
    (path,) = [path for path in store.paths if "/tickets/portal:" in path]
    found = await store.get(path)
    await store.commit([Set(path, found.data | {"callerPhone": "+15185550199"})])
    await refused(links, text)
    # Nor does a ticket that lives longer make the link do so.
    await store.commit([Set(path, found.data | {"expiresAt": NOW + timedelta(days=1)})])
    clock.wait(900)
    await refused(links, text)


@pytest.mark.requirement("004-112")
async def test_of_a_number_the_newest_link_counts(links):
    """It ends what an older one has opened, and an older one opens nothing any more; also of another call."""
    paths = FirestorePaths().within(SALON.id)
    first = await redeem(links, token(await issue(links)))
    second, third = [token(await issue(links, wish=wish, session=wish)) for wish in ("second", "third")]
    assert not await links.is_open(paths, CALLER, first.link_id)
    await refused(links, second)
    visit = await redeem(links, third)
    assert await links.is_open(paths, CALLER, visit.link_id)
    # The same wish once more is no newer link, and another number's ends nothing.
    await issue(links, wish="third", session="third")
    await issue(links, wish="third", session="other", phone="+15185550199")
    assert await links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
async def test_a_link_that_nobody_gets_ends_nothing(links):
    """Of a vouched number neither: the text was refused, so what was open goes on, and an older link still opens."""
    paths = FirestorePaths().within(SALON.id)
    visit = await redeem(links, token(await issue(links)))
    await links.issue(call(SALON, "refused", session="session-2"))
    assert await links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
async def test_a_number_that_nobody_vouches_for_ends_nothing(links, clock):
    """Also where its link was sent: it does once it is opened, as whoever has the telephone has wanted it."""
    paths = FirestorePaths().within(SALON.id)
    visit = await redeem(links, token(await issue(links)))
    clock.wait(60)
    forged = await issue(links, wish="forged", session="session-2", attestation=None, now=clock.now())
    assert await links.is_open(paths, CALLER, visit.link_id)
    opened = await redeem(links, token(forged))
    assert await links.is_open(paths, CALLER, opened.link_id)
    assert not await links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
async def test_an_unopened_link_outlasts_one_for_a_number_that_nobody_vouches_for(links, clock):
    """And the call that brought a link replaces it by another one, however its number is shown."""
    first = token(await issue(links))
    clock.wait(60)
    forged = token(await issue(links, wish="forged", session="session-2", attestation=None, now=clock.now()))
    await redeem(links, first)
    clock.wait(60)
    await issue(links, wish="newest", now=clock.now())
    await refused(links, forged)
    unvouched = [
        token(await issue(links, wish=wish, phone="+15185550199", attestation=None)) for wish in ("one", "another")
    ]
    await refused(links, unvouched[0])
    await redeem(links, unvouched[1])


@pytest.mark.requirement("004-1301")
@pytest.mark.parametrize("waits_s", [60, 3 * 3600])
async def test_a_call_takes_back_its_own_link_however_its_number_is_shown(links, clock, waits_s):
    """Also where a link of another call was sent before that nobody has opened, in its time or long after."""
    first = token(await issue(links, attestation=None))
    clock.wait(waits_s)
    second = token(await issue(links, wish="second", session="session-2", attestation=None, now=clock.now()))
    clock.wait(60)
    assert await links.end(call(SALON, session="session-2", attestation=None, now=clock.now()))
    await refused(links, second)
    assert not await links.end(call(SALON, session="session-2", attestation=None, now=clock.now()))
    if waits_s == 60:
        # Whose number is only shown has taken nothing else back.
        await redeem(links, first)


@pytest.mark.requirement("004-1301")
async def test_a_call_that_takes_back_its_link_leaves_open_what_another_one_has_opened(links, clock):
    """Nobody vouches for its number; what it has had sent lets nobody in, and the visit goes on."""
    paths = FirestorePaths().within(SALON.id)
    visit = await redeem(links, token(await issue(links)))
    clock.wait(60)
    forged = token(await issue(links, wish="forged", session="session-2", attestation=None, now=clock.now()))
    assert await links.end(call(SALON, session="session-2", attestation=None, now=clock.now()))
    await refused(links, forged)
    assert await links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
async def test_a_link_whose_text_still_waits_is_taken_back_as_well(links, clock):
    """It counts nowhere yet, and its ticket is marked; one that is opened in that moment is ended as a visit."""
    ctx = call(SALON, attestation=None)
    link = await links.issue(ctx)
    assert await links.end(ctx)
    await refused(links, token(link))
    paths = FirestorePaths().within(SALON.id)
    another = replace(ctx, effect_key="another")
    link = await links.issue(another)
    visit, ended = await asyncio.gather(redeem(links, token(link)), links.end(another), return_exceptions=True)
    assert ended is True
    assert isinstance(visit, ToolError) or not await links.is_open(paths, CALLER, visit.link_id)


@pytest.mark.requirement("004-1301")
async def test_a_link_that_nobody_has_opened_in_its_time_keeps_no_later_one_from_counting(links, clock):
    """A quarter of an hour later the next call's link counts at once, and an older one of that call does not."""
    await issue(links, attestation=None)
    clock.wait(900)
    unvouched = [
        token(await issue(links, wish=wish, session="session-2", attestation=None, now=clock.now()))
        for wish in ("one", "another")
    ]
    await refused(links, unvouched[0])
    await redeem(links, unvouched[1])


@pytest.mark.requirement("004-1301")
@pytest.mark.parametrize("method", ["get", "commit"])
async def test_a_link_that_was_sent_before_everything_died_counts_when_it_is_opened(links, store, clock, method):
    """Delivered again it takes its place once, and is not opened again by that when it was closed since."""
    paths = FirestorePaths().within(SALON.id)
    visit = await redeem(links, token(await issue(links)))
    clock.wait(60)
    ctx = call(SALON, "second", session="session-2", now=clock.now())
    second = await links.issue(ctx)
    store.fail(method)
    await links.sent(ctx, second)
    store.recover()
    assert await links.is_open(paths, CALLER, visit.link_id)
    opened = await redeem(links, token(second))
    assert not await links.is_open(paths, CALLER, visit.link_id)
    await links.sent(ctx, second)
    assert await links.is_open(paths, CALLER, opened.link_id)
    clock.wait(60)
    await links.end(replace(ctx, now=clock.now()))
    await links.sent(ctx, second)
    assert not await links.is_open(paths, CALLER, opened.link_id)


@pytest.mark.requirement("004-1301")
async def test_what_was_closed_stays_closed_to_a_link_from_before(links, clock):
    """A word of somebody vouched for closes what others have had sent to their number as well."""
    await redeem(links, token(await issue(links)))
    clock.wait(60)
    forged = token(await issue(links, wish="forged", session="session-2", attestation=None, now=clock.now()))
    clock.wait(60)
    assert await links.end(call(SALON, session="session-3", now=clock.now()))
    await refused(links, forged)


@pytest.mark.requirement("004-112")
async def test_a_link_from_before_that_rule_opens_and_is_the_newest_then(links, store):
    """Nobody who was texted a link a minute before an update stands before a closed door."""
    text = token(await issue(links))
    (path,) = {path for path in store.paths if "/tickets/portalVisit:" in path}
    await store.commit([Delete(path)])
    visit = await redeem(links, text)
    paths = FirestorePaths().within(SALON.id)
    assert await links.is_open(paths, CALLER, visit.link_id)
    await issue(links, wish="newer")
    assert not await links.is_open(paths, CALLER, visit.link_id)


@given(st.text(max_size=300) | st.binary(max_size=200).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_nonsense_is_refused_and_never_crashes(text):
    """Whatever stands in the address."""
    links = PortalLinks(MemoryStore(), StoppedClock(), KEY)
    for link in (text, f"{text}.{text}", "." + text):
        with pytest.raises(ToolError):
            _now(redeem(links, link))


def _now(coroutine):
    """Run a coroutine that waits for nobody, to its end."""
    coroutine.send(None)
    raise AssertionError("it waited for the store")


async def test_a_link_shows_neither_number_nor_session(links):
    """It travels through texts, histories and logs."""
    link = await issue(links)
    body = base64.urlsafe_b64decode(token(link).partition(".")[0] + "==").decode()
    assert not [word for word in (CALLER[1:], CALLER[2:], "session-1") if word in link.url + body]


async def test_the_same_wish_is_the_same_link(links, clock):
    """So that the text message that carries it is the same one too."""
    first = await issue(links)
    clock.wait(60)
    assert (await issue(links, now=clock.now())).url == first.url
    assert (await issue(links, wish="another")).url != first.url


@pytest.mark.parametrize(
    ("portal", "public", "begins"),
    [
        ("https://portal.example/start?ref=1#top", "", "https://portal.example/start?link="),
        ("https://portal.example", "https://x.example", "https://portal.example/?link="),
        ("", "https://x.example", "https://x.example/portal/?link="),
        ("", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/portal/?link="),
    ],
)
async def test_a_link_leads_to_the_businesss_portal_or_to_ours(store, clock, portal, public, begins):
    """Whatever else stands in the owner's address stays out of a text that is paid by its length."""
    links = PortalLinks(store, clock, KEY, public)
    assert (await issue(links, salon(portalUrl=portal))).url.startswith(begins)


@pytest.mark.parametrize(
    "portal", ["", "http://portal.example", "portal.example", "javascript:alert(1)", "https://", "https://["]
)
async def test_without_a_safe_portal_there_is_no_link(links, store, portal):
    """PERMANENT; a link that lets somebody in is not sent in clear."""
    with pytest.raises(ToolError) as caught:
        await issue(links, salon(portalUrl=portal))
    assert (caught.value.type, store.asked["commit"]) == (ErrorType.PERMANENT, 0)


async def test_a_caller_whose_number_is_unknown_gets_no_link(links):
    """There is nowhere to send it, and nobody to let in."""
    with pytest.raises(ToolError) as caught:
        await issue(links, phone=None)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.parametrize("method", ["get", "commit"])
async def test_a_store_that_is_away_lets_nobody_in_and_spends_nothing(links, store, method):
    """TRANSIENT; the link opens when the store is back."""
    text = token(await issue(links))
    store.fail(method)
    with pytest.raises(ToolError) as caught:
        await redeem(links, text)
    assert caught.value.type is ErrorType.TRANSIENT
    store.recover()
    await redeem(links, text)


async def test_tickets_are_removed_by_themselves(links, store):
    """`expireAt`, for the store to clean up."""
    await issue(links)
    tickets = (await stored(store, SALON.id, "tickets")).values()
    assert len(tickets) == 2
    assert all(ticket["expireAt"] > ticket["expiresAt"] > NOW for ticket in tickets)
