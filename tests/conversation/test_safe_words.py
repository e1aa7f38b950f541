"""What is said when a model has no words of its own (seed 000, "Tool Usage Policy")."""

from switchboard.conversation.safe_words import Trouble, safe_sentence
from tests.each import each

MESSAGE = {"en": "take a message", "de-AT": "Nachricht", "es-MX": "tom", "FR": "un message", "sv": "take a message"}


@each("trouble", Trouble)
@each("language", MESSAGE)
def test_every_trouble_has_a_sentence_with_a_way_on_in_the_businesss_language(trouble, language):
    """In English where nobody has written one."""
    sentence = safe_sentence(trouble, language)
    assert MESSAGE[language] in sentence
    assert (sentence == safe_sentence(trouble, "en")) == (language in ("en", "sv"))
