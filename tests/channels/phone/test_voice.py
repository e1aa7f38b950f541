"""The sentences that a phone call needs no model for."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.channels.phone.voice import Sentence, Voice, on_the_phone, turned_away_words
from switchboard.contract.business.agent import read_agent
from switchboard.contract.business.business import Business, read_business
from tests.each import each

ENGLISH = Voice.of(read_business("b", {"name": "Salon"}))


@each("sentence", Sentence)
@each(("language", "locale"), [("de", "de-DE"), ("es", "es-ES"), ("fr", "fr-FR"), ("fr-CA", "fr-CA")])
def test_a_caller_hears_each_sentence_in_the_language_in_which_it_is_spoken(sentence, language, locale):
    """A Spanish voice that reads English is not understood."""
    voice = Voice.of(read_business("b", {"name": "Salon", "ai": {"language": language}}))
    assert voice.locale == locale
    assert voice.sentence(sentence) != ENGLISH.sentence(sentence)
    assert "{" not in voice.sentence(sentence)


@pytest.mark.parametrize(
    ("agent", "locale"),
    [
        ({"isDefault": True, "language": "de"}, "de-DE"),
        ({"isDefault": True, "language": ""}, "en-US"),
        ({"isDefault": False, "language": "de"}, "en-US"),
        ({"isDefault": True, "language": "de", "channels": ["portal"]}, "en-US"),
    ],
)
def test_the_phone_is_answered_in_the_language_of_the_agent_that_answers_it(agent, locale):
    """Its voice is one of that language too; an agent without a language speaks the business's."""
    business = read_business("b", {"name": "Salon", "ai": {"language": "en", "voice": "Polly.Joanna-Neural"}})
    voice = Voice.of(on_the_phone(Tenant(business, agents={"echo": read_agent("echo", agent)}), {}))
    assert (voice.locale, voice.say) == (locale, "Polly.Joanna-Neural" if locale == "en-US" else "")


@pytest.mark.requirement("004-860")
def test_the_phone_is_answered_with_the_voice_of_the_agent_that_answers_it():
    """Also where it speaks another language than its business, whose voice would not."""
    business = read_business("b", {"name": "Salon", "ai": {"language": "en", "voice": "Polly.Joanna-Neural"}})
    agent = {"isDefault": True, "language": "de", "voice": "Google.de-DE-Wavenet-A"}
    voice = Voice.of(on_the_phone(Tenant(business, agents={"echo": read_agent("echo", agent)}), {}))
    assert (voice.say, voice.provider, voice.relay) == ("Google.de-DE-Wavenet-A", "Google", "de-DE-Wavenet-A")


@pytest.mark.requirement("004-2457")
@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it", "pt", "nl"])
def test_whoever_is_turned_away_is_told_how_else_the_business_is_reached(language):
    """A model may have been wrong about them; where nothing else is known, the sentence is what it was."""
    now = datetime(2027, 3, 10, 15, 0, tzinfo=UTC)
    salon = Business("salon", language=language, twilio_number="+15185550100")
    alone = turned_away_words(salon, now)
    assert alone == Voice.of(salon).sentence(Sentence.NOT_SERVED)
    told = turned_away_words(replace(salon, phone="(518) 555-0142"), now)
    refusal, _, goodbye = alone.rpartition(". ")
    assert told.startswith(f"{refusal}. ") and told.endswith(goodbye) and "555-0142" in told
