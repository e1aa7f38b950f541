"""Pages that owners have read in: every address on the way is checked, and everything about them is bounded."""

from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.egress.pages import FetchedPage, PageEgress
from tests.integrations.egress.internet import ADDRESS, NAME, Internet, answer, hang_up, internet, raw

URL = f"https://{NAME}/prices"
PAGE = b"<p>A haircut is 40 euros.</p>"
MEBIBYTE = 1024 * 1024


async def fetched(web: Internet, url: str = URL, **changes: Any) -> FetchedPage:
    egress = PageEgress(lookup=web.lookup, open_socket=web.open_socket, trust=web.egress()._trust)
    egress.__dict__.update(changes)
    try:
        return await egress.page(url)
    finally:
        await egress.close()


def onward(to: str, status: str = "302 Found") -> Any:
    return answer(b"", status, Location=to)


@pytest.mark.requirement("004-730")
async def test_a_page_comes_with_what_its_server_says_of_it():
    """Wherever it was sent on to, as browsers go."""
    script = answer(PAGE, Content_Type='Text/HTML; charset="ISO-8859-1"')
    async with internet(onward("/2027"), onward(f"https://{NAME}:8443/end", "301 Moved"), script) as web:
        page = await fetched(web, f"{URL}#top")
    assert page == FetchedPage(URL, f"https://{NAME}:8443/end", PAGE, "text/html", "iso-8859-1")


INWARD = {
    "http://example.com/": "does not begin with https",
    "https://127.0.0.1/": "not public|may not be",
    "https://169.254.169.254/latest/meta-data": "may not be",
    "https://inside.example.com/": "may not be",
    "https://example.com:22/": "port 22",
    "https://localhost/": "no full name",
    "file:///etc/passwd": "does not begin with https",
}


@pytest.mark.requirement("004-731")
@pytest.mark.parametrize(("to", "words"), INWARD.items(), ids=INWARD)
async def test_an_address_that_may_not_be_read_is_not_read_wherever_it_is_named(to: str, words: str):
    """Typed, or sent on to: nothing is sent there, and the sentence says why."""
    async with internet(onward(to)) as web:
        web.names["inside.example.com"] = [["10.0.0.7"]]
        for url in (URL, to):
            with pytest.raises(ToolError, match=words) as caught:
                await fetched(web, url)
            assert caught.value.type is ErrorType.PERMANENT
            assert ("sends on" in caught.value.message) == (url == URL)
        assert set(web.opened) == {ADDRESS}


BAD = {
    "gone": (answer(b"", "404 Not Found"), "status 404: there is no such page"),
    "sign-in": (answer(b"", "401 Unauthorized"), "status 401: it wants a sign-in"),
    "in trouble": (answer(b"", "500 Oops"), "its server is in trouble"),
    "in circles": (onward("/prices"), "more than 5 times"),
    "nowhere": (answer(b"", "302 Found"), "status 302"),
    "long": (answer(b"x" * (10 * MEBIBYTE + 1)), "longer than 10 MB"),
    "without an end": (raw(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * MEBIBYTE, again=12), "longer than 10 MB"),
    "packed strangely": (answer(PAGE, Content_Encoding="br"), "form that cannot be read"),
}


@pytest.mark.requirement("004-731")
@pytest.mark.parametrize(("script", "words"), BAD.values(), ids=BAD)
async def test_a_page_that_cannot_be_had_says_why(script: Any, words: str):
    """To whoever has typed its address."""
    async with internet(script) as web:
        with pytest.raises(ToolError, match=words):
            await fetched(web)


@pytest.mark.requirement("004-731")
async def test_a_page_that_never_ends_is_given_up():
    """In time, with a word of what to do."""
    dripping = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", b"x", pause=0.05, again=400)
    for script in (dripping, hang_up):
        async with internet(script) as web:
            with pytest.raises(ToolError, match="did not answer in time") as caught:
                await fetched(web, reads_within_s=0.5)
            assert caught.value.type is ErrorType.TRANSIENT


async def test_a_server_that_does_not_speak_https_is_told():
    """As browsers would."""
    async with internet(tls=None) as web:
        with pytest.raises(ToolError, match="https as browsers do"):
            await fetched(web)
