"""What is said when a model has no words of its own (seed 000, "Tool Usage Policy")."""

from switchboard.catalog.offer.alternative_words import WORDS
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.contract.channel import Channel
from switchboard.conversation.speech.house_phrases import Trouble, safe_sentence
from tests.each import each

TAKES_MESSAGES = Alternatives(Channel.PHONE, messages=("take_message",))
MESSAGE = {"en": "take a message", "de-AT": "Nachricht", "es-MX": "tom", "FR": "un message", "sv": "take a message"}


@each("trouble", Trouble)
@each("language", MESSAGE)
def test_every_trouble_has_a_sentence_with_a_way_on_in_the_businesss_language(trouble, language):
    """In English where nobody has written one."""
    sentence = safe_sentence(trouble, language, TAKES_MESSAGES)
    assert MESSAGE[language] in sentence
    assert (sentence == safe_sentence(trouble, "en", TAKES_MESSAGES)) == (language in ("en", "sv"))


@each("language", WORDS)
def test_whoever_can_leave_no_message_is_not_offered_to(language):
    """The first sentence is the same, and what follows it is another."""
    ways = Alternatives(Channel.PORTAL)
    sentences = {trouble: safe_sentence(trouble, language, ways) for trouble in Trouble}
    assert len(set(sentences.values())) == len(Trouble)
    sentences.pop(Trouble.REFUSED)
    for trouble, sentence in sentences.items():
        assert sentence.endswith(WORDS[language].come_back)
        assert WORDS[language].message in safe_sentence(trouble, language, TAKES_MESSAGES)
        assert language == "en" or sentence != safe_sentence(trouble, "en", ways)
