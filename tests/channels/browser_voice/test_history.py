"""A talk that is shown again: `GET /browser_voice/history`."""

import httpx2 as httpx
import pytest

from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import DOCUMENT, RIVAL, SESSION, Salon
from tests.conversation.scripted import calls, says
from tests.pipeline.conftest import BUSINESS

PATH = "/browser_voice/history"


def words(told):
    return [entry["text"] for entry in told["transcript"]]


@pytest.mark.requirement("004-886")
async def test_what_was_said_is_told_with_what_was_not_heard(salon: Salon, http: httpx.AsyncClient, browser: Browser):
    """The page has shown it; and it is told whose page that is."""
    salon.model.answers = [says("We open at nine. We close at six.")]
    await browser.turn(text="When?")
    await browser.post("interrupt", turn=1, heard="We open at nine.")
    told = (await http.get(PATH)).json()
    said = told["transcript"][-1]
    assert (said["text"], said["unheard"], said["interrupted"]) == ("We open at nine.", " We close at six.", True)
    assert (told["sessionId"], told["business"]["name"], told["turn"]) == (SESSION, DOCUMENT["name"], 1)


@pytest.mark.requirement("004-886")
async def test_a_question_is_open_where_it_was_asked(salon: Salon, http: httpx.AsyncClient, browser: Browser):
    """Here, and not on the portal's page of the same conversation."""
    salon.model.answers = [calls(("book", {"what": "a cut"}))]
    await browser.turn(text="Book a cut.")
    assert (await http.get(PATH)).json()["ask"] == {"question": "Book a cut?", "turn": 1, "tool": "book"}


@pytest.mark.requirement("004-886", "003-83")
@pytest.mark.parametrize("by", ["this browser", "a vendor"])
async def test_what_was_to_be_heard_only_is_not_shown_later(salon: Salon, http, browser: Browser, by: str):
    """SUPPRESS_TRANSCRIPT holds after a reload, too; the next turn is shown again."""
    if by == "a vendor":
        await salon.open_live()
        for turn, name in ((1, "hush"), (2, "look")):
            call = {"type": "function_call", "call_id": f"c{turn}", "name": name, "arguments": "{}"}
            await browser.execute(call, turn=turn, heard={"text": "Hm?"})
            await browser.execute(turn=turn, said=f"Answer {turn}.")
    else:
        salon.model.answers = [calls(("hush", {})), says("Answer 1."), says("Answer 2.")]
        for _ in range(2):
            await browser.turn(text="Hm?")
    assert words((await http.get(PATH)).json()) == ["Hm?", "Hm?", "Answer 2."]
    rows = (await salon.interaction())["transcript"]
    assert [row["text"] for row in rows if row.get("unshown")] == ["Answer 1."]


@pytest.mark.requirement("004-892")
async def test_what_a_vendors_voice_was_interrupted_in_is_marked(salon: Salon, http, browser: Browser):
    """Nobody knows how much of it was heard; of what was said to its end everybody does."""
    await salon.open_live()
    await browser.execute(turn=1, heard={"text": "When?"}, said="At nine.")
    await browser.execute(turn=2, heard={"text": "And?"}, said="At six, and", interrupted=True)
    marks = [entry.get("interrupted", False) for entry in (await http.get(PATH)).json()["transcript"]]
    assert marks == [False, False, False, True]


@pytest.mark.requirement("004-886")
async def test_a_page_that_is_opened_again_counts_its_turns_on(salon: Salon, http, browser: Browser):
    """Whatever number the page before had come to: what is said now is no part of what was said then."""
    await salon.open_live()
    await browser.execute(turn=7, heard={"text": "When?"}, said="At nine.")
    opened = (await browser.post("session", provider="openai")).json()
    assert (opened["turn"], opened["greeting"]) == (1, "")
    assert (await browser.execute(turn=2, heard={"text": "And?"}))["turn"] == 2
    # What a browser tells that a model said is told as that.
    [before] = [line for line in salon.vendors["openai"].asked[0]["instructions"].split("\n") if "At nine." in line]
    assert "Caller: When?\n" in salon.vendors["openai"].asked[0]["instructions"] and "browser reports" in before


@pytest.mark.requirement("004-886")
async def test_it_is_for_those_it_belongs_to(salon: Salon, http: httpx.AsyncClient):
    """Without a token there is none, with that of another business neither, and nobody keeps a copy."""
    assert (await http.get(PATH)).headers["cache-control"] == "no-store"
    assert (await http.get(PATH, headers={"Authorization": "Bearer visit.x.y"})).status_code == 401
    asked = {"businessId": BUSINESS, "sessionId": SESSION}
    other = await http.get(PATH, params=asked, headers={"Authorization": f"Bearer {RIVAL}"})
    assert other.status_code in (401, 403)
    salon.clock.wait(13 * 3_600)
    assert (await http.get(PATH)).status_code == 401
