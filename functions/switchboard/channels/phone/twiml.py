"""The TwiML that this channel answers, built by Twilio's own classes."""

from datetime import datetime
from typing import Any

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.channels.phone.voice import Sentence, Voice, turned_away_words
from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.conversation.speech.plain_speech import plain
from switchboard.conversation.speech.sentence_ends import last_end

_GATHER_S = 5
# Long enough to take a breath, short enough not to seem deaf; it must be a number.
_SPEECH_S = 2
_BETWEEN_S = 1
# A `<Say>` takes little more than 4,000 characters, a document 64 KB; one character takes up to
# nine bytes in it. Of what no model says, and is longer than two, the rest is not said.
LONGEST_SAY = 3_000
_MOST_SAYS = 2


def connect(business: Business, relay_url: str, token: str, prompt: str, ended_url: str) -> str:
    """Return TwiML that opens a ConversationRelay socket after saying something."""
    from twilio.twiml.voice_response import Connect, VoiceResponse  # type: ignore[import-untyped]

    voice = Voice.of(business)
    prompt = plain(prompt, business.language)
    connected = Connect(action=ended_url, method="POST")
    options: dict[str, Any] = {
        "url": relay_url,
        "welcome_greeting": prompt[: upto(prompt, LONGEST_SAY)],
        "language": voice.locale,
        "transcription_provider": "Deepgram",
        "interruptible": "any",
        # What the caller says while the agent speaks is their next turn, and must not be lost.
        "report_input_during_agent_speech": "any",
        "dtmf_detection": True,
    }
    if voice.provider:
        options["tts_provider"] = voice.provider
    if voice.relay:
        options["voice"] = voice.relay
    relay = connected.conversation_relay(**options)
    relay.parameter(name="token", value=token)
    response = VoiceResponse()
    response.append(connected)
    return str(response)


def gather(business: Business, prompt: str, turn_url: str, silent_url: str, *, is_asking: bool = False) -> str:
    """Return TwiML that says something and listens.

    Args:
        business: Whose voice it is.
        prompt: What the caller hears; they may speak or press keys meanwhile.
        turn_url: Where what they say or press is sent to.
        silent_url: Where to go on if they do neither.
        is_asking: Whether a yes or a no is asked for: it is heard once the question has been played to its end, and one
            key is an answer; otherwise keys are put together, up to `#` or a pause.
    """
    from twilio.twiml.voice_response import VoiceResponse

    response = VoiceResponse()
    if is_asking and prompt:
        # Vendors do not tell how much of a prompt was heard that somebody has spoken into.
        _say(response, prompt, Voice.of(business))
    response.append(_listening(business, "" if is_asking else prompt, turn_url, _GATHER_S, one_key=is_asking))
    response.redirect(silent_url, method="POST")
    return str(response)


def bridge(business: Business, prompt: str, turn_url: str, waiting_url: str) -> str:
    """Return TwiML that says what there is by now and comes back for the rest; who speaks meanwhile interrupts."""
    from twilio.twiml.voice_response import VoiceResponse

    response = VoiceResponse()
    if prompt:
        response.append(_listening(business, prompt, turn_url, _BETWEEN_S, one_key=False))
    response.redirect(waiting_url, method="POST")
    return str(response)


def dial(prompt: str, business: Business, payload: JsonObject, result_url: str) -> str:
    """Return TwiML that puts the call through as the intent TRANSFER_CALL says, after what is left to be said."""
    from twilio.twiml.voice_response import Dial, VoiceResponse

    response = VoiceResponse()
    if prompt:
        _say(response, prompt, Voice.of(business))
    verb = Dial(
        action=result_url,
        method="POST",
        timeout=payload.get("timeoutS") or None,
        caller_id=payload.get("callerId") or None,
        answer_on_bridge=True,
    )
    verb.number(str(payload.get("number") or ""))
    response.append(verb)
    return str(response)


def goodbye(prompt: str, business: Business | None) -> str:
    """Return TwiML that says what is left to be said and hangs up."""
    from twilio.twiml.voice_response import VoiceResponse

    response = VoiceResponse()
    if prompt:
        _say(response, prompt, Voice.of(business))
    response.hangup()
    return str(response)


def not_served(business: Business, now: datetime) -> str:
    """Return TwiML for a caller who is blocked or flagged."""
    return goodbye(turned_away_words(business, now), business)


def gone(business: Business | None = None) -> str:
    """Return TwiML for a call to a business that was taken away; it sounds as it was known last."""
    return goodbye(Voice.of(business).sentence(Sentence.GONE), business)


def put_through(business: Business, number: str) -> str:
    """Return TwiML that rings somebody; who is not answered is asked to call again."""
    from twilio.twiml.voice_response import VoiceResponse

    voice, response = Voice.of(business), VoiceResponse()
    _say(response, voice.sentence(Sentence.PUT_THROUGH), voice)
    response.dial(number, answer_on_bridge=True)
    # Also heard after a conversation that the other side has ended; it suits both.
    _say(response, voice.sentence(Sentence.NOBODY_ANSWERED), voice)
    response.hangup()
    return str(response)


def nothing_more() -> str:
    """Return TwiML for a call that is over."""
    return '<?xml version="1.0" encoding="UTF-8"?><Response />'


def trouble(business: Business | None, turn_url: str = "", ways: Alternatives | None = None) -> str:
    """Return TwiML for when everything else has failed: a sentence and a way out.

    Args:
        business: As far as it is known; its safe number is rung.
        turn_url: Where a caller who has no such number may go on, since trouble passes; empty when they have tried.
        ways: What they can have there; without any, they are asked to say it again.
    """
    from twilio.twiml.voice_response import VoiceResponse

    voice = Voice.of(business)
    if business is None or not (business.safe_number or turn_url):
        return goodbye(voice.sentence(Sentence.TROUBLE, Sentence.LATER), business)
    response = VoiceResponse()
    if business.safe_number:
        _say(response, voice.sentence(Sentence.TROUBLE, Sentence.PUT_THROUGH), voice)
        response.dial(business.safe_number, answer_on_bridge=True)
    else:
        can_be_had = ways is not None and ways.lead_to_people
        instead = ways.said(business.language) if ways and can_be_had else voice.sentence(Sentence.SAY_AGAIN)
        prompt = f"{voice.sentence(Sentence.TROUBLE)} {instead}"
        response.append(_listening(business, prompt, turn_url, _GATHER_S, one_key=False))
    # Also heard after a conversation that the other side has ended; it suits both.
    _say(response, voice.sentence(Sentence.NOBODY_ANSWERED if business.safe_number else Sentence.LATER), voice)
    response.hangup()
    return str(response)


def _listening(business: Business, prompt: str, turn_url: str, seconds: int, one_key: bool) -> Any:
    from twilio.twiml.voice_response import Gather

    voice = Voice.of(business)
    verb = Gather(
        input="speech dtmf",
        action=turn_url,
        method="POST",
        language=voice.locale,
        timeout=seconds,
        speech_timeout=_SPEECH_S,
        num_digits=1 if one_key else None,
        barge_in=True,
    )
    if prompt:
        _say(verb, prompt, voice)
    return verb


def _say(verb: Any, text: str, voice: Voice) -> None:
    # Whoever wrote it, a model, an owner or this house: nothing is read aloud that is only for the eye.
    text = plain(text, voice.locale)
    for _ in range(_MOST_SAYS):
        cut = upto(text, LONGEST_SAY)
        verb.say(text[:cut], language=voice.locale, voice=voice.say or None)
        text = text[cut:]
        if not text.strip():
            return


def upto(text: str, limit: int) -> int:
    """Return where a text of more than `limit` characters is cut: behind a sentence, else a word."""
    if len(text) <= limit:
        return len(text)
    return last_end(text, limit) or text.rfind(" ", 0, limit) + 1 or limit
