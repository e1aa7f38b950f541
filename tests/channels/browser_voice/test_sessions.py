"""`POST /browser_voice/session` and `GET /browser_voice/token`: how a conversation by voice is opened."""

import jwt
import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.model import Spoken, UserMessage
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Query, Set
from switchboard.integrations.realtime.voice_keys import TwilioVoiceKey
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import KEY, SESSION, Salon
from tests.conversation.scripted import says
from tests.pipeline.conftest import BUSINESS, PATHS

GREETING = "Hello, this is the assistant of Salon. How can I help you?"
SID = "0123456789abcdef" * 2


@pytest.mark.parametrize("body", [{}, {"provider": "browser"}, {"provider": "browser", "businessId": BUSINESS}])
async def test_the_browsers_own_voice_needs_no_vendor(salon: Salon, browser: Browser, body):
    """Just ids, the business, and what to say first, which the model is told was said."""
    salon.vendors.clear()
    opened = (await browser.post("session", **body)).json()
    assert opened == {
        "provider": "browser",
        "businessId": BUSINESS,
        "sessionId": SESSION,
        "turn": 0,
        "business": {"name": "Salon", "language": "en", "timezone": "UTC"},
        "language": "en",
        "greeting": GREETING,
    }
    salon.model.answers = [says("At nine.")]
    await browser.turn(text="When?")
    assert salon.model.prompts[0].messages == [Spoken(GREETING), UserMessage("When?")]


async def test_a_page_is_spoken_to_in_the_language_of_the_agent_that_answers_by_voice(salon: Salon, browser: Browser):
    """The browser listens and speaks in it, a vendor's model is told it, and a yes is understood in it."""
    agent = {"isDefault": True, "language": "fr", "channels": ["browser_voice"]}
    await salon.store.commit([Set(PATHS.within(BUSINESS).document("agents", "echo"), agent)])
    opened = (await browser.post("session", provider="gemini")).json()
    assert (opened["business"]["language"], opened["greeting"][:7]) == ("fr", "Bonjour")
    assert salon.vendors["gemini"].asked[0]["language"] == "fr"


async def test_who_comes_back_goes_on_without_another_greeting(salon: Salon, browser: Browser):
    """With the turns counted on."""
    salon.model.answers = [says("At nine.")]
    await browser.post("session")
    await browser.turn(text="When?")
    opened = (await browser.post("session")).json()
    assert (opened["turn"], opened["greeting"]) == (1, "")


@pytest.mark.requirement("003-24", "003-08")
async def test_gemini_is_told_the_tools_in_its_native_form_with_a_behaviour_each(salon: Salon, browser: Browser):
    """It waits for whatever it could make a claim about, and for what needs a yes."""
    opened = (await browser.post("session", provider="gemini")).json()
    assert opened["gemini"] == {"clientSecret": "ek_1"}
    asked = salon.vendors["gemini"].asked[0]
    assert asked["instructions"] == "You are Echo."
    declared = {d["name"]: d for d in asked["tools"][0]["functionDeclarations"]}
    assert declared["look"]["parameters"]["type"] == "OBJECT"
    behaviours = {name: declared[name]["behavior"] for name in ("look", "act", "book", "hang_up")}
    assert behaviours == {"look": "BLOCKING", "act": "NON_BLOCKING", "book": "BLOCKING", "hang_up": "NON_BLOCKING"}
    assert all("behavior" in d for d in declared.values())


@pytest.mark.requirement("003-24")
async def test_openai_is_told_flat_tools_of_this_channel(salon: Salon, browser: Browser):
    """Those of the portal are not among them."""
    await browser.post("session", provider="openai")
    asked = salon.vendors["openai"].asked[0]
    look = next(t for t in asked["tools"] if t["name"] == "look")
    assert set(look) == {"type", "name", "description", "parameters"}
    assert look["description"] == "look for Salon."
    assert "look_in_portal" not in {t["name"] for t in asked["tools"]}


@pytest.mark.parametrize("type", [ErrorType.TRANSIENT, ErrorType.AUTH, ErrorType.RATE_LIMIT, ErrorType.PERMANENT])
async def test_a_vendor_that_is_away_leaves_the_browsers_own_voice(salon: Salon, browser: Browser, type):
    """503 in the envelope's shape, with what to do instead; nothing counts as said."""
    salon.vendors["openai"].error = ToolError(type, "The speech model does not answer.", detail="openai: secret")
    answer = await browser.post("session", provider="openai")
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["retryable"]) == (503, "TRANSIENT", True)
    assert 'provider "browser"' in error["message"]
    assert "secret" not in answer.text
    assert (await browser.post("session")).json()["greeting"] == GREETING


async def test_a_vendor_that_is_not_set_up_is_said_to_be_by_its_variable(salon: Salon, browser: Browser):
    """400; whoever runs this system knows what to set."""
    del salon.vendors["gemini"]
    answer = await browser.post("session", provider="gemini")
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (400, "provider")
    assert "SWITCHBOARD_VOICES" in error["message"] and "GEMINI_API_KEY" in error["message"]


async def test_an_unknown_provider_is_named(browser: Browser):
    """With those that exist."""
    error = (await browser.post("session", provider="acme")).json()["error"]
    assert (error["field"], error["message"]) == ("provider", "provider must be one of browser, openai, gemini.")


@pytest.mark.requirement("003-13")
async def test_who_is_turned_away_gets_no_session(salon: Salon, browser: Browser):
    """And no secret of a vendor's."""
    salon.is_turned_away = True
    assert (await browser.post("session", provider="openai")).status_code == 403
    assert salon.vendors["openai"].asked == []


async def test_a_service_opens_a_session_with_its_key(browser: Browser):
    """For its own business only, in a conversation that it names."""
    headers = {"Authorization": f"Bearer {KEY}"}
    for business, status in ((BUSINESS, 200), ("rival", 403)):
        body = {"businessId": business, "sessionId": "app_1"}
        answer = await browser.http.post("/browser_voice/session", json=body, headers=headers)
        assert answer.status_code == status


async def test_a_browser_that_dials_in_gets_a_token_for_its_conversation(salon: Salon, browser: Browser):
    """Signed by the business's API key, good for ten minutes, for calls out to the business's app alone."""
    salon.keys.key = TwilioVoiceKey(f"AC{SID}", f"SK{SID}", f"AP{SID}", "s" * 32)
    found = (await browser.http.get("/browser_voice/token")).json()
    token = jwt.decode(found["token"], "s" * 32, algorithms=["HS256"])
    assert jwt.get_unverified_header(found["token"])["cty"] == "twilio-fpa;v=1"
    assert (token["iss"], token["sub"], token["exp"] - token["nbf"]) == (f"SK{SID}", f"AC{SID}", 600)
    assert token["grants"] == {"identity": SESSION, "voice": {"outgoing": {"application_sid": f"AP{SID}"}}}
    assert found["identity"] == SESSION


async def test_an_identity_is_made_of_what_twilio_takes(salon: Salon, browser: Browser):
    """Letters, digits and underscores, the same for the same conversation."""
    salon.keys.key = TwilioVoiceKey(f"AC{SID}", f"SK{SID}", f"AP{SID}", "s" * 32)
    headers = {"Authorization": f"Bearer {salon.tokens.issue(BUSINESS, 'web_a-b.ü')[0]}"}
    found = [(await browser.http.get("/browser_voice/token", headers=headers)).json()["identity"] for _ in range(2)]
    assert found[0] == found[1] and found[0].startswith("s_") and found[0].isascii() and len(found[0]) == 42


async def test_a_business_without_a_key_says_what_is_missing(browser: Browser):
    """404, with the fields by name."""
    answer = await browser.http.get("/browser_voice/token")
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NOT_FOUND")
    assert "voiceAppSid" in answer.json()["error"]["message"]


async def test_a_token_is_for_those_who_were_let_in(browser: Browser):
    """401 for anybody else."""
    answer = await browser.http.get("/browser_voice/token", headers={"Authorization": ""})
    assert answer.status_code == 401


@pytest.mark.requirement("004-1302")
async def test_what_is_spoken_with_somebody_verified_counts_for_no_stranger(salon: Salon, browser: Browser):
    """Neither the session nor a turn: they stay within their own, and leave that of all others alone."""
    within = PATHS.within(BUSINESS)
    now = salon.clock.now()
    session = within.document("sessions", SESSION)
    await salon.store.commit([Set(session, Standing("match", "c1", None, now).to_fields(), merge=True)])
    salon.model.answers += [says("Hello.") for _ in range(3)]
    assert (await browser.post("session")).status_code == 200
    for n in range(3):
        assert (await browser.post("turn", text=f"Hello {n}")).status_code == 200
    tickets = await salon.store.query(Query(within.collection("tickets"), limit=500))
    assert {ticket.data["count"] for ticket in tickets if "count" in ticket.data} == {0}


@pytest.mark.requirement("004-133")
async def test_a_token_to_dial_in_with_is_a_voice_session(salon: Salon, browser: Browser):
    """A call from a browser costs the business: a stranger gets as many as sessions, of both together."""
    salon.keys.key = TwilioVoiceKey(f"AC{SID}", f"SK{SID}", f"AP{SID}", "s" * 32)
    share = STRANGERS[Thing.VOICE_SESSIONS].visit or 0
    assert (await browser.post("session")).status_code == 200
    found = [(await browser.http.get("/browser_voice/token")) for _ in range(share)]
    assert [answer.status_code for answer in found] == [200] * (share - 1) + [429]
    assert "voice sessions" in found[-1].json()["error"]["message"] and int(found[-1].headers["retry-after"]) > 0
