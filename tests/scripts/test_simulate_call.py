"""`scripts/simulate_call`: a phone call in the terminal, played as Twilio would."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import setting_up
from simulating.script import Line, read_file, read_line
from stand_ins.loopback import serving
from stand_ins.twilio.account import SID
from stand_ins.twilio.account import TOKEN as TWILIO_TOKEN
from stand_ins.twilio.app import TwilioStandIn
from tests.channels.phone.house import PUBLIC_URL, RELAY_URL, TO_FRONT_DESK, TOKEN, PhoneInstance, open_store
from tests.conversation.scripted import calls, says
from tests.each import each

SIMULATE_CALL = setting_up.ROOT / "scripts" / "simulate_call"


@pytest.fixture(params=["relay", "gather"])
async def phone(request: Any) -> AsyncIterator[PhoneInstance]:
    """A server, with a relay and without."""
    instance = PhoneInstance(await open_store(), RELAY_URL if request.param == "relay" else "")
    async with instance.serving():
        yield instance


async def simulate(
    phone: PhoneInstance, *arguments: str, script: str | None = None, typed: str = "", tmp_path: Path | None = None
) -> tuple[int, str, str]:
    """Run the command; returns its exit code and what it printed."""
    if script is not None:
        assert tmp_path is not None
        (tmp_path / "call.txt").write_text(script)
        arguments = (str(tmp_path / "call.txt"), *arguments)
    where = ("--url", f"http://127.0.0.1:{phone.port}", "--public-url", PUBLIC_URL)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SIMULATE_CALL),
        *where,
        *arguments,
        env={**os.environ, "SWITCHBOARD_DEMO_TWILIO_TOKEN": TOKEN},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(typed.encode()), 60)
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.process
async def test_a_script_is_played_and_shows_what_the_caller_hears(phone: PhoneInstance, tmp_path: Path) -> None:
    """Both ways look the same to the caller, and fit into 80 columns."""
    phone.model.answers = [
        says("We open at nine. " * 8),
        calls(("book", {"what": "lunch"})),
        says("No."),
    ]
    script = "# a comment\nsay: When?\nexpect: at NINE\nsay: Lunch\nexpect: lunch\npress: 2\nexpect: no\nhang up\n"
    code, out, err = await simulate(phone, script=script, tmp_path=tmp_path)
    assert (code, err) == (0, "")
    assert "Hello, Salon." in out
    assert "caller" in out
    assert "[2]" in out
    assert out.count(" ok ") == 3
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.process
async def test_an_expectation_that_is_not_met_is_the_exit_code(phone: PhoneInstance, tmp_path: Path) -> None:
    """So that a script can be a test."""
    phone.model.answers = [says("Hi.")]
    code, out, _ = await simulate(phone, script="say: Hello\nexpect: bananas\n", tmp_path=tmp_path)
    assert code == 1
    assert "NOT ok" in out


@pytest.mark.process
async def test_a_transfer_and_what_comes_of_it_is_followed(phone: PhoneInstance, tmp_path: Path) -> None:
    """Nobody answers, and the conversation goes on."""
    phone.model.answers = [calls(("put_through", {}), text="One second."), says("Noted.")]
    script = f"say: A person\nexpect: put through to {TO_FRONT_DESK['number']}\nexpect: nobody could be reached\n"
    script += "say: Tell them hello\nexpect: noted\n"
    code, out, err = await simulate(phone, "--transfer", "no-answer", script=script, tmp_path=tmp_path)
    assert (code, err) == (0, ""), out
    phone.model.answers = [calls(("put_through", {}), text="One second.")]
    code, out, err = await simulate(phone, script="say: A person\nexpect: the call ends\n", tmp_path=tmp_path)
    assert (code, err) == (0, ""), out


@pytest.mark.process
@pytest.mark.requirement("004-879")
async def test_a_call_that_is_redirected_through_the_api_is_followed(phone: PhoneInstance, tmp_path: Path) -> None:
    """The stand-in knows it while it goes on; who listened is left, and what Twilio was told is done, once."""
    phone.model.answers = [says("We open at nine."), says("Still here.")]
    twilio = TwilioStandIn()
    ring = "<Response><Say>Somebody takes over.</Say><Dial>+15185550120</Dial></Response>"

    async def put_through(url: str) -> None:
        while not phone.model.prompts:
            await asyncio.sleep(0.02)
        (sid,) = twilio.account.calls
        headers = {"Authorization": aiohttp.encode_basic_auth(SID, TWILIO_TOKEN)}
        async with aiohttp.ClientSession(headers=headers) as http:
            address = f"{url}/2010-04-01/Accounts/{SID}/Calls/{sid}.json"
            async with http.post(address, data={"Twiml": ring}) as answer:
                assert answer.status == 200, await answer.text()

    script = "say: When?\nexpect: put through to +15185550120\nexpect: the call ends\n"
    with serving(twilio.app) as url:
        _, (code, out, err) = await asyncio.gather(
            put_through(url), simulate(phone, "--stand-ins", url, script=script, tmp_path=tmp_path)
        )
    assert (code, err) == (0, ""), out
    (call,) = twilio.account.calls.values()
    assert (call["status"], call["from"]) == ("completed", "+15185550161")


@pytest.mark.process
async def test_a_caller_who_interrupts_is_heard(phone: PhoneInstance, tmp_path: Path) -> None:
    """`interrupt after` speaks into the answer before it."""
    phone.model.answers = [says("We open at nine and close at six."), says("On Sunday we rest.")]
    script = "say: When?\ninterrupt after 300ms: And on Sunday?\nexpect: rest\n"
    code, out, err = await simulate(phone, script=script, tmp_path=tmp_path)
    assert (code, err) == (0, ""), out


@pytest.mark.process
async def test_a_person_may_type_the_call(phone: PhoneInstance) -> None:
    """Words are said, digits are pressed, and the end of input hangs up."""
    phone.model.answers = [says("Hi."), says("Thank you.")]
    code, out, err = await simulate(phone, typed="Hello\n42#\n")
    assert (code, err) == (0, ""), out
    assert "Thank you." in out
    heard = [m.text for m in phone.model.prompts[-1].messages if type(m).__name__ == "UserMessage"]
    assert heard == ["Hello", "[pressed 42]"]


@pytest.mark.process
async def test_the_end_of_a_call_ends_it_here_too(phone: PhoneInstance, tmp_path: Path) -> None:
    """And the server is told that it is over."""
    phone.model.answers = [calls(("hang_up", {}), text="Goodbye.")]
    code, out, err = await simulate(phone, script="say: Bye\nexpect: the call ends\n", tmp_path=tmp_path)
    assert (code, err) == (0, ""), out
    phone.model.answers = [calls(("hang_up", {}), text="Goodbye.")]
    code, _, err = await simulate(phone, script="say: Bye\nwait 2s\nsay: Wait\n", tmp_path=tmp_path)
    assert (code, "the call is over" in err) == (2, True)


@pytest.mark.process
async def test_a_socket_that_cannot_be_opened_is_played_too(phone: PhoneInstance, tmp_path: Path) -> None:
    """`--mode gather` against a server with a relay: it must find another way."""
    phone.model.answers = [says("Hi.")]
    code, out, err = await simulate(phone, "--mode", "gather", script="say: Hello\nexpect: hi\n", tmp_path=tmp_path)
    assert (code, err) == (0, ""), out


@pytest.mark.process
async def test_verbose_shows_the_twiml_and_no_token(phone: PhoneInstance, tmp_path: Path) -> None:
    """What opens a socket is nobody's to copy from a screen."""
    _, out, _ = await simulate(phone, "--verbose", "--attestation", "none", script="hang up\n", tmp_path=tmp_path)
    assert "<Response>" in out
    assert ".demo-salon" not in out


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--token", "wrong"), "--token"),
        (("--to", "+15185550199"), "--to"),
        (("no-such-file.txt",), "no-such-file.txt"),
        (("--url", "127.0.0.1"), "--url"),
        (("--url", "http://127.0.0.1:1"), "scripts/run"),
        (("--attestation", "D"), "--attestation"),
    ],
)
async def test_what_keeps_a_call_from_happening_is_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    """With the option that helps; the exit code is 2."""
    async with PhoneInstance(await open_store()).serving() as phone:
        code, _, err = await simulate(phone, *arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err


@each(
    ("text", "line"),
    [
        ("say: Hello there", Line("say", "Hello there")),
        ("  SAY :  x ", Line("say", "x")),
        ("press: 1#", Line("press", "1#")),
        ("interrupt after 400ms: Stop", Line("interrupt", "Stop", 0.4)),
        ("wait 1.5s", Line("wait", after_s=1.5)),
        ("Hang up", Line("hang up")),
        ("text: STOP", Line("text", "STOP")),
        ("sent: your code", Line("sent", "your code")),
        ("# x", None),
        ("", None),
    ],
)
def test_lines_are_read_as_they_are_written(text: str, line: Line | None) -> None:
    """Blanks and case do not matter."""
    assert read_line(text) == line


@pytest.mark.parametrize("text", ["say:", "press: one", "interrupt: x", "shout: x", "wait 2"])
def test_a_line_that_cannot_be_done_says_what_can(text: str) -> None:
    """With an example of each."""
    with pytest.raises(ValueError, match=r"say: …|are no keys"):
        read_line(text)


@pytest.mark.process
async def test_a_wrong_line_is_named_with_its_number(phone: PhoneInstance, tmp_path: Path) -> None:
    """Before anybody is called."""
    code, _, err = await simulate(phone, script="say: x\nshout: y\n", tmp_path=tmp_path)
    assert code == 2
    assert "line 2" in err


@pytest.mark.process
async def test_one_of_several_things_that_may_be_heard_is_enough(phone: PhoneInstance, tmp_path: Path) -> None:
    """Such as what is said by day and by night."""
    phone.model.answers = [says("We are closed.")]
    code, out, err = await simulate(phone, script="say: Hi\nexpect: we are open | closed\n", tmp_path=tmp_path)
    assert (code, err) == (0, ""), out


@pytest.mark.process
async def test_what_stands_above_the_first_line_is_taken_unless_an_option_says_otherwise(
    phone: PhoneInstance, tmp_path: Path
) -> None:
    """And only there: below it, it is a line that cannot be done."""
    phone.model.answers = [says("Hi.")]
    script = "from: +15185550177\nmode: gather\nsay: Hello\nexpect: hi\n"
    code, out, err = await simulate(phone, script=script, tmp_path=tmp_path)
    assert (code, err) == (0, ""), out
    assert "+15185550177 calls" in out
    _, out, _ = await simulate(
        phone, "--from", "+15185550178", script="from: +15185550177\nhang up\n", tmp_path=tmp_path
    )
    assert "+15185550178 calls" in out
    code, _, err = await simulate(phone, script="say: Hello\nmode: gather\n", tmp_path=tmp_path)
    assert (code, "line 2" in err) == (2, True)
    code, _, err = await simulate(phone, script="mode: fax\nsay: Hello\n", tmp_path=tmp_path)
    assert (code, "'fax' is none of relay, gather, portal, browser_voice" in err) == (2, True)


def test_a_day_is_said_in_the_language_of_the_script(tmp_path: Path) -> None:
    """As the caller says it, and as it is answered."""
    (tmp_path / "call.txt").write_text("language: de\nsay: Am {next Tuesday}.\n")
    assert read_file(tmp_path / "call.txt", date(2026, 11, 29)).lines == [Line("say", "Am Dienstag, 8. Dezember.")]
    (tmp_path / "call.txt").write_text("say: On {Tuesday}.\n")
    assert read_file(tmp_path / "call.txt", date(2026, 11, 29)).lines == [Line("say", "On Tuesday, December 1.")]
