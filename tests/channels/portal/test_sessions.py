"""Who may begin a visit, and what the browser gets: `POST /portal/session`."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.channels.http.credentials import Rejected
from switchboard.channels.portal.auth import LIFETIME, VisitorTokens, address_of
from switchboard.channels.portal.portals import read_portal
from switchboard.contract.store import Set
from tests.channels.portal.salon import CLOSED, DOCUMENTS, GERMAN, KEY, PHONE, SALON, Browser
from tests.conversation.scripted import says
from tests.desk.front_desk import StoppedClock, call
from tests.desk.front_desk import salon as salon_of_the_desk
from tests.each import each
from tests.pipeline.conftest import PATHS


async def test_a_visitor_is_told_where_they_are(opened):
    """Name, language, first words and zone; the greeting for callers is not the page's."""
    salon = await opened()
    begun = (await salon.visitor()).begun
    assert begun["business"] == {
        "name": "Maple Street Hair Studio",
        "language": "en",
        "greeting": "Welcome to Maple Street Hair Studio. How can I help you?",
        "timezone": "America/New_York",
        "sites": [{"host": name, "path": "/"} for name in ("maple.example", "portal.maple.example")],
    }
    assert begun["businessId"] == SALON
    assert begun["expiresAt"] == "2027-03-11T03:00:00Z"


async def test_a_business_words_its_own_greeting(opened):
    """In its own language."""
    begun = (await (await opened()).visitor(GERMAN)).begun
    assert (begun["business"]["language"], begun["business"]["greeting"]) == ("de", "Was ist los bei Ihnen?")


@pytest.mark.parametrize(
    ("language", "greeting"),
    [("es-MX", "Le damos la bienvenida a Salon."), ("fr", "Bienvenue chez Salon."), ("sv", "Welcome to Salon.")],
)
def test_a_business_that_worded_no_greeting_has_one_in_its_language(language, greeting):
    """Or in English, where nobody has written one."""
    portal = read_portal("b", {"name": "Salon", "ai": {"language": language}})
    assert portal.greeting.startswith(greeting)


async def test_the_page_speaks_the_language_of_the_agent_that_answers_chats(opened):
    """Its labels, its greeting and its answers are in one language; an agent for the phone alone changes nothing."""
    salon = await opened()
    agents = {"a-phone": {"language": "fr", "channels": ["phone"]}, "b-chat": {"language": "es"}}
    within = PATHS.within(SALON)
    await salon.store.commit([Set(within.document("agents", id), f | {"isDefault": True}) for id, f in agents.items()])
    begun = (await salon.visitor()).begun["business"]
    assert (begun["language"], begun["greeting"][:27]) == ("es", "Le damos la bienvenida a Ma")


async def test_every_visitor_has_a_conversation_of_their_own(opened):
    """Nobody reads along."""
    salon = await opened()
    assert (await salon.visitor()).session_id != (await salon.visitor()).session_id


@pytest.mark.requirement("000-61")
@pytest.mark.parametrize("business_id", [CLOSED, "nobody", "../salon"])
async def test_only_a_business_that_wants_visitors_has_any(opened, business_id):
    """And nobody finds out which businesses there are."""
    salon = await opened()
    response = await salon.http.post("/portal/session", json={"businessId": business_id})
    assert response.status_code == 403
    assert response.json()["error"]["message"] == "This business takes no visitors here. Ask for a link on the phone."


@pytest.mark.parametrize("body", [{}, {"link": "x", "businessId": SALON}, {"businessId": 7}, {"link": "x" * 2_001}, []])
async def test_a_session_needs_a_link_or_a_business(opened, body):
    """What is wrong is said, and nothing is begun."""
    assert (await (await opened()).http.post("/portal/session", json=body)).status_code == 400


async def test_many_visits_from_one_address_are_too_many(opened):
    """Anonymous conversations cost money."""
    salon = await opened(visitors=2)
    for _ in range(2):
        await salon.visitor()
    refused = await salon.http.post("/portal/session", json={"businessId": SALON})
    assert refused.status_code == 429
    assert refused.json()["error"]["type"] == "RATE_LIMIT"
    assert int(refused.headers["retry-after"]) > 0


async def test_a_store_that_does_not_answer_is_told_as_that(opened):
    """And not as a visitor who is not wanted."""
    salon = await opened()
    salon.store.fail("get", "get_many")
    response = await salon.http.post("/portal/session", json={"businessId": SALON})
    assert (response.status_code, response.json()["error"]["type"]) == (503, "TRANSIENT")


@pytest.mark.requirement("004-10")
@pytest.mark.requirement("004-81")
async def test_a_link_goes_on_with_the_phone_conversation_and_not_as_its_caller(opened):
    """What was said on the phone stands in the history; who opened the link nobody knows, as links are forwarded."""
    salon = await opened(says("Welcome back."))
    begun = (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json()
    assert (begun["businessId"], begun["sessionId"]) == (SALON, "CA1")
    visit = salon.tokens.read(begun["token"])
    assert (visit.caller_phone, visit.session_id) == (PHONE, "CA1")
    await Browser(salon, begun).say("Hello again")
    record = await salon.record("CA1")
    assert (record["sessionId"], record["callerPhone"], record["callerId"]) == ("CA1", None, None)


async def test_a_link_opens_once(opened):
    """Whoever finds it in a message later is not let in; nor is whoever makes one up."""
    salon = await opened()
    link = await salon.link()
    assert (await salon.http.post("/portal/session", json={"link": link})).status_code == 200
    words = set()
    for spent in (link, f"{link}x", "nonsense", "ä.ö"):
        refused = await salon.http.post("/portal/session", json={"link": spent})
        assert refused.status_code == 401
        words.add(refused.json()["error"]["message"])
    assert len(words) == 1


@pytest.mark.requirement("004-112")
@pytest.mark.parametrize("how", ["newer link", "word on the phone"])
async def test_a_visit_that_was_ended_reads_and_says_nothing_more(opened, how):
    """At once, in every endpoint; whoever comes by the newer link goes on."""
    salon = await opened(says("Welcome back."))
    browser = Browser(salon, (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json())
    assert (await salon.http.get("/portal/history", headers=browser.headers)).status_code == 200
    if how == "newer link":
        newer = await salon.link("CA1", "another wish")
    else:
        ctx = call(salon_of_the_desk(SALON, **DOCUMENTS[SALON]), session="CA1", phone=PHONE)
        assert await salon.links.end(ctx)
    answers = [
        await browser.post("chat", {"text": "Hello", "messageId": "m1"}),
        await browser.post("stop", {"messageId": "m1"}),
        await salon.http.get("/portal/history", headers=browser.headers),
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert all("new link" in answer.json()["error"]["message"] for answer in answers)
    if how == "newer link":
        begun = (await salon.http.post("/portal/session", json={"link": newer})).json()
        assert (await Browser(salon, begun).history())["sessionId"] == "CA1"


@pytest.mark.requirement("004-112")
async def test_a_token_that_names_no_link_keeps_its_own_expiry(opened):
    """It was made before links ended anything; and nobody can take the link out of a newer one."""
    salon = await opened()
    token, visit = salon.tokens.issue(SALON, "CA1", PHONE, "c1")
    await salon.link("CA1")
    assert visit.link_id is None
    assert (await salon.http.get("/portal/history", headers={"Authorization": f"Bearer {token}"})).status_code == 200


@pytest.mark.requirement("004-112")
async def test_whether_a_visit_goes_on_is_not_guessed(opened):
    """A store that does not answer is told as that: nobody is let in, and nobody is sent away for good."""
    salon = await opened()
    browser = Browser(salon, (await salon.http.post("/portal/session", json={"link": await salon.link("CA1")})).json())
    salon.store.fail("get")
    assert (await salon.http.get("/portal/history", headers=browser.headers)).status_code == 503


def tokens(clock: StoppedClock | None = None) -> VisitorTokens:
    return VisitorTokens(KEY, clock or StoppedClock())


def test_a_token_is_good_for_twelve_hours():
    """And not a second longer."""
    clock = StoppedClock()
    token, visit = tokens(clock).issue(SALON, "s1", PHONE, "c1")
    clock.moment += LIFETIME - timedelta(seconds=1)
    assert tokens(clock).read(token) == visit
    clock.moment += timedelta(seconds=1)
    with pytest.raises(Rejected):
        tokens(clock).read(token)


@given(st.data())
def test_a_token_that_was_changed_is_refused_in_the_same_words(data):
    """Whatever was changed, and whatever else is sent."""
    token, _ = tokens().issue(SALON, "s1", PHONE)
    position = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda c: c != token[position]))
    changed = data.draw(st.sampled_from([token[:position] + other + token[position + 1 :], token[:position], other]))
    with pytest.raises(Rejected) as refused:
        tokens().read(changed)
    assert (refused.value.status, refused.value.message.partition(" ")[0]) == (401, "This")


def test_a_token_of_another_deployment_is_refused():
    """Each signs with its own key."""
    token, _ = VisitorTokens(KEY[::-1], StoppedClock()).issue(SALON, "s1")
    with pytest.raises(Rejected):
        tokens().read(token)


def test_what_the_key_signed_for_something_else_is_no_token():
    """Links and tokens may be signed with one key, and neither passes for the other."""
    token, _ = tokens().issue(SALON, "s1")
    body = token.rpartition(".")[0]
    signature = base64.urlsafe_b64encode(hmac.new(KEY, body.encode(), hashlib.sha256).digest()).decode().rstrip("=")
    for other in (f"{body}.{signature}", token.removeprefix("visit.")):
        with pytest.raises(Rejected):
            tokens().read(other)


def signed(claims: object) -> str:
    """Return a token that holds whatever is given, signed with the deployment's key."""
    body = b"visit." + base64.urlsafe_b64encode(orjson.dumps(claims)).rstrip(b"=")
    signature = base64.urlsafe_b64encode(hmac.new(KEY, b"visit|" + body, hashlib.sha256).digest()).rstrip(b"=")
    return f"{body.decode()}.{signature.decode()}"


def read_as_before(token: str) -> tuple[str, str, datetime, str | None, str | None]:
    """Return business, conversation, end, phone and link as the version read them that knew no beginnings."""

    def visit(business_id, session_id, expires_at, caller_phone=None, caller_id=None, link_id=None):
        return business_id, session_id, expires_at, caller_phone, link_id

    body, _, _signature = token.encode().rpartition(b".")
    claims = body.removeprefix(b"visit.")
    business_id, session_id, caller_phone, caller_id, expires, *link = orjson.loads(
        base64.urlsafe_b64decode(claims + b"=" * (-len(claims) % 4))
    )
    return visit(business_id, session_id, datetime.fromtimestamp(expires, UTC), caller_phone, caller_id, *link)


@each("began", [None, 0, 1_766_000_000_123])
@each("whom", [(), (PHONE,), (PHONE, "c1"), (PHONE, None, "l1"), (PHONE, "c1", "l1")])
def test_an_instance_of_the_version_before_reads_a_token_of_this_one(whom, began):
    """Both serve side by side while a version is rolled out, and a visitor is let in by either."""
    phone, caller, link = (*whom, None, None, None)[:3]
    token, visit = tokens().issue(SALON, "s1", phone, caller, link, began)
    assert tokens().read(token) == visit
    assert visit.business_began == began
    assert read_as_before(token) == (SALON, "s1", visit.expires_at, phone, link)


@each("rest", [(), ("l1",)])
def test_a_token_of_the_version_before_is_read(rest):
    """It says nothing of when its business began."""
    expires = int((StoppedClock().now() + LIFETIME).timestamp())
    visit = tokens().read(signed([SALON, "s1", PHONE, "c1", expires, *rest]))
    assert (visit.caller_phone, visit.caller_id, visit.link_id) == (PHONE, "c1", rest[0] if rest else None)
    assert visit.business_began is None


@each(
    "claims",
    [
        *([], {}, None, 7, "visit", [SALON], [SALON, "s1", PHONE, "c1"]),
        [SALON, "s1", PHONE, "c1", 4_000_000_000, "l1", 5],
        [SALON, "s1", PHONE, "c1", 4_000_000_000, "l1", 5, None],
        [SALON, "s1", PHONE, "c1", 4_000_000_000, ["l1"]],
        [SALON, "s1", PHONE, [], 4_000_000_000],
        [SALON, "s1", PHONE, ["c1", 5, 6], 4_000_000_000],
        [SALON, "s1", PHONE, ["c1", "5"], 4_000_000_000],
        [SALON, "s1", PHONE, {"id": "c1"}, 4_000_000_000],
        [SALON, None, PHONE, "c1", 4_000_000_000],
        *([SALON, "s1", PHONE, "c1", at] for at in (None, "soon", 10**18, -(10**18))),
    ],
)
def test_what_a_later_version_may_sign_is_refused_as_any_token_is(claims):
    """Whoever holds it asks for another; an instance that reads less does not fail over it."""
    with pytest.raises(Rejected) as refused:
        tokens().read(signed(claims))
    assert (refused.value.status, refused.value.message.partition(" ")[0]) == (401, "This")


def test_a_short_key_is_no_key():
    """Nothing is signed with a word."""
    with pytest.raises(ValueError, match="32 bytes"):
        VisitorTokens(b"secret", StoppedClock())


@each(
    ("peer", "forwarded", "proxies", "address"),
    [
        ("203.0.113.9", None, 0, "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", 0, "203.0.113.9"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1", 1, "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1, 35.0.0.1", 2, "198.51.100.1"),
        ("10.0.0.1", None, 1, "10.0.0.1"),
        # Past Hosting, straight to Cloud Run: whoever leaves a proxy out is counted by what the nearest one saw.
        ("10.0.0.1", "198.51.100.1", 2, "198.51.100.1"),
        # Longer than the chain: what a visitor wrote stands in front, and moves nothing.
        ("10.0.0.1", "1.1.1.1, 2.2.2.2, 6.6.6.6, 198.51.100.1, 35.0.0.1", 2, "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6,, 35.0.0.1", 2, "unknown"),
        ("10.0.0.1", "198.51.100.1:4711, 35.0.0.1", 2, "198.51.100.1"),
        ("10.0.0.1", "[2001:db8:1:2::9]:443", 1, "2001:db8:1:2::/64"),
        ("10.0.0.1", "::ffff:198.51.100.1", 1, "198.51.100.1"),
        ("2001:db8:1:2:3:4:5:6", None, 0, "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", None, 0, "203.0.113.9"),
        ("somewhere", None, 0, "unknown"),
    ],
)
@pytest.mark.requirement("004-64")
def test_visitors_are_counted_by_an_address_they_cannot_choose(peer, forwarded, proxies, address):
    """Only what our own proxies add counts; a household's IPv6 addresses are one."""
    from starlette.requests import Request

    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    request = Request({"type": "http", "headers": headers, "client": (peer, 1)})
    assert address_of(request, proxies) == address
