"""What can be had while the store is away: nothing that has to be recorded first is offered to anybody."""

import pytest

from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.conversation.speech.house_phrases import Trouble, safe_sentence
from tests.catalog.offer.test_alternatives import LANGUAGES, MONDAY, NUMBER, Offers, offers, ways_in

__all__ = ["offers"]
pytestmark = pytest.mark.requirement("004-2204")


def away() -> bool:
    """Tell that it is."""
    return True


def test_no_safe_sentence_offers_what_nothing_can_do_then(offers: Offers) -> None:
    """It says what is left: the number, the hours, the website, or to come back; and offers again once it is there."""
    is_away = [True]
    for place, offer in offers.items():
        object.__setattr__(offer, "is_store_away", lambda: is_away[0])
        ways = offer.ways_out()
        for language in LANGUAGES:
            is_away[0] = True
            said = safe_sentence(Trouble.NO_ANSWER, language, ways, MONDAY)
            assert ways_in(said, language) == set(), (place, said)
            assert (NUMBER in said) == place.number
            is_away[0] = False
            assert ways_in(safe_sentence(Trouble.NO_ANSWER, language, ways, MONDAY), language) == place.ways
        object.__setattr__(offer, "is_store_away", None)


def test_what_a_tool_says_and_what_a_model_is_told_offer_nothing_either(offers: Offers) -> None:
    """Also the words that a tool has of its own."""
    for offer in offers.values():
        object.__setattr__(offer, "is_store_away", away)
        advice = offer.ways_out().after("It failed.", MONDAY)
        assert "take no message" in advice and "(take_message)" not in advice
        for tool in offer.tools:
            for language in tool.definition.say:
                for moment in tool.definition.say[language]:
                    assert not ways_in(offer.phrase(tool.name, language, moment, MONDAY), language)
        object.__setattr__(offer, "is_store_away", None)


def test_without_a_moment_it_is_told_as_it_is_offered() -> None:
    """Nobody has asked whether it can be done now."""
    business = read_business("salon", {"name": "Salon", "phone": "+15185550142"})
    ways = Alternatives(Channel.PHONE, ("take_message",), business=business, is_store_away=away)
    assert ways_in(ways.said("en"), "en") == {"message"}
    assert not ways_in(ways.said("en", MONDAY), "en")
