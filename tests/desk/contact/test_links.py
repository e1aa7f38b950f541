"""Links in what callers are sent: the business's own stand as they are, all others are named as not."""

from dataclasses import replace

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set, Update
from switchboard.desk.contact.links import OwnLinks, links_in, not_from
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import WatchedStore, call
from tests.desk.phone_network import CALLER, OWNER, document, phone_salon, texts_over
from tests.each import each

SITE = "https://rosas-salon.example"
SALON = phone_salon()
PATHS = call(SALON).paths
MARK = not_from(SALON)
pytestmark = pytest.mark.requirement("004-131")


@pytest.fixture
async def store():
    """Where the salon names its site, its booking page at a host of many, and one more in an answer."""
    found = WatchedStore(MemoryStore())
    fields = document() | {"name": "Rosa", "website": f"{SITE}/en", "portalUrl": "https://portal.rosa.example/chat"}
    await found.commit(
        [
            Set(PATHS.business, fields),
            Set(PATHS.document("policies", "booking"), {"content": "Book at calendly.com/rosa or by phone."}),
            Set(PATHS.document("faqs", "parking"), {"answer": "See https://parking.example/rosa?lot=7."}),
            Set(PATHS.document("tools", "t1"), {"config": {"text": ["Pay: https://pay.example/rosa/"]}}),
        ]
    )
    return found


async def test_of_all_that_a_business_has_written_only_what_could_name_the_link_is_looked_through(store, monkeypatch):
    """Megabytes may be, and every conversation waits meanwhile; what names it is found wherever it stands."""
    faqs = {f"f{n}": {"answer": f"See https://page{n}.example/x. " + "Some more words. " * 50} for n in range(60)}
    await store.commit([Set(PATHS.document("faqs", id), fields) for id, fields in faqs.items()])
    read = []
    monkeypatch.setattr("switchboard.desk.contact.links.links_in", lambda text: read.append(text) or links_in(text))
    assert MARK in await marked(store, "See https://elsewhere.test/offer")
    assert sum(map(len, read)) < 1_000
    for own in ("https://page41.example/x", "PAGE41.example/x/y"):
        assert MARK not in await marked(store, f"See {own}")


async def marked(store, text: str, **business: object) -> str:
    return await OwnLinks(store).marked(call(phone_salon(**business)), text)


@each(
    "link",
    [
        SITE,
        f"{SITE}/en/prices",
        f"{SITE}/prices?of=cuts#short",
        "rosas-salon.example",
        "WWW.Rosas-Salon.Example/prices",
        "book.rosas-salon.example",
        f"({SITE}).",
        "https://portal.rosa.example/chat?x=1",
        "calendly.com/rosa",
        "https://calendly.com/rosa/30min",
        "https://parking.example/rosa?lot=7",
        "pay.example/rosa/42",
        f"{SITE}:443/prices",
        f"{SITE}/?back=https://elsewhere.example",
    ],
)
async def test_what_the_business_names_is_its_own(store, link):
    """In its document the whole of its site; elsewhere what is named, and what is below it."""
    assert await marked(store, f"Look here: {link}") == f"Look here: {link}"


@each(
    "link",
    [
        # A name in front of another.
        f"{SITE}.evil.example/login",
        "rosas-salon.example.evil.example",
        "my-rosas-salon.example",
        "rosas-salon.example-login.com/x",
        # Somebody before the host.
        f"{SITE}@evil.example/",
        f"{SITE}:443@evil.example",
        "https://a:b@rosas-salon.example/",
        "https://evil.example\\@rosas-salon.example/",
        "rosas-salon.example/@evil.example".replace("/@", "@") + "/login",
        # Letters that look alike, bare and encoded; signs that look like a slash or a dot.
        "https://rosas-s\u0430lon.example/",
        "https://xn--rosas-slon-53l.example/",
        "rosas-salon\u200d.example/x",
        "rosas-salon.example\u2215x.evil.example/",
        "https://evil\u3002example/",
        "ev\u00adil.com",
        "\uff45\uff56\uff49\uff4c.com",
        # Those that hide where they lead.
        "bit.ly/3xYz",
        "https://t.co/abc",
        "tinyurl.com/rosas-salon",
        "https://3232235777/",
        "192.0.2.7/pay",
        "http://[2001:db8::1]/",
        # Without a scheme, in any letters, behind other signs.
        "evil.com",
        "Evil.Com",
        "EVIL.SKIN/x",
        "www.evil.example",
        "//evil.com/x",
        "https:evil.com",
        "pay,evil.com",
        "well...evil.com",
        "[rosas-salon.example](https://evil.example)",
        # At a host of many.
        "calendly.com/rosamunde",
        "calendly.com/rosa/../evil",
        "calendly.com/rosa/%2e%2e/evil",
        "calendly.com",
        "https://parking.example/rosa?lot=8",
        "parking.example/others",
        # Another door of the same house, and what is no site at all.
        "https://rosas-salon.example:8443/",
        "ftp://rosas-salon.example/",
        "intent://rosas-salon.example/#x",
    ],
)
async def test_a_link_of_somebody_else_is_named_so(store, link):
    """Whatever it looks like; the words stand right before it."""
    text = f"Look here: {link} and {SITE}"
    at = text.index(link.split()[0])
    assert await marked(store, text) == f"{text[:at]}{MARK} {text[at:]}"


@each(
    "text",
    [
        "See you on Tue 24.12.2026 at 10.30, e.g. at 5 p.m.",
        "It is $40.00/hour. Dr.M\u00fcller is in.Thanks",
        "Write to rosa@rosas-salon.example or anna.lee@evil.example!",
        "Mon.-Fri. 9:00-17:30, 3.5km from here",
        "",
        "...",
        "://",
    ],
)
async def test_what_is_no_link_stays_as_it_is(store, text):
    """Dates, prices, addresses to write to; nothing is read for it."""
    store.asked.clear()
    assert links_in(text) == []
    assert await marked(store, text) == text
    assert not store.asked


@each(
    "website, own, not_own",
    [
        ("https://m.facebook.com/rosa", "https://m.facebook.com/rosa/about", "m.facebook.com/others"),
        (
            "https://facebook.com/profile.php?id=7",
            "facebook.com/profile.php?id=7&v=1",
            "facebook.com/profile.php?id=77",
        ),
        ("https://rosa.wixsite.com/salon", "rosa.wixsite.com/book", "evil.wixsite.com"),
        ("https://sites.google.com/view/rosa", "sites.google.com/view/rosa/prices", "sites.google.com/view/evil"),
        ("rosa.example", "https://rosa.example/x", "https://rosa.example.com"),
        ("", "https://portal.rosa.example/chat", "rosas-salon.example"),
    ],
)
async def test_a_site_at_a_host_of_many_is_its_own_page_only(store, website, own, not_own):
    """A host where everybody may have a page vouches for nobody."""
    await store.commit([Update(PATHS.business, {"website": website})])
    assert await marked(store, own) == own
    assert await marked(store, not_own) == f"{MARK} {not_own}"


@each("language, words", [("en-US", "link not"), ("de", "Link nicht"), ("es-MX", "enlace"), ("fr", "lien")])
async def test_the_words_are_in_the_businesss_language(store, language, words):
    """With the business's name; who is marked already is not marked again."""
    salon = phone_salon()
    ctx = call(replace(salon, language=language))
    once = await OwnLinks(store).marked(ctx, "Pay at evil.com")
    assert words in once and salon.name in once
    assert await OwnLinks(store).marked(ctx, once) == once


async def test_a_text_to_a_caller_names_what_is_not_the_businesss(store, network, clock):
    """As it is sent and as it is kept; a text without links costs no reading."""
    texts = texts_over(store, network, clock)
    await texts.send(call(SALON), CALLER, "Pay at evil.com today", effect_key="w1")
    assert network.sent[0].body == f"Pay at {MARK} evil.com today"
    store.asked.clear()
    await texts.send(call(SALON), CALLER, "See you at ten", effect_key="w2")
    assert store.asked["query"] == 0 and store.asked["get"] == 0


async def test_a_text_to_the_owner_names_it_too(store, network, clock):
    """A caller's link is no more to be believed by the people at the business."""
    texts = texts_over(store, network, clock)
    await texts.send(call(SALON), OWNER, "My invoice: evil.com/x", effect_key="w1", purpose="message")
    assert f"{MARK} evil.com/x" in network.sent[0].body


async def test_a_text_whose_links_nobody_can_judge_is_not_sent(store, network, clock):
    """It would be believed, or the business's own link called a stranger's."""
    store.fail("query")
    with pytest.raises(ToolError) as refused:
        await texts_over(store, network, clock).send(call(SALON), CALLER, "Pay at evil.com", effect_key="w1")
    assert refused.value.type is ErrorType.TRANSIENT and not network.sent


@each("family", ["a", "a.", "a-", "a@b.co@", "://", "a://", "evil.com ", "evil.com,", "x.yz:1:", "www.", "\u3002", "["])
def test_reading_takes_time_in_proportion(family):
    """Work is counted by what is found: twice the text, twice the links at most."""
    short, long = ((family * n)[:n] for n in (4_000, 8_000))
    assert len(links_in(long)) <= 2 * len(links_in(short)) + 2
