"""What is read aloud holds no marks, no bullets and no link addresses, whoever wrote it and however it was cut."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard.contract.channel import Channel
from switchboard.conversation.event import QuestionAsked, Text
from switchboard.conversation.speech.plain_speech import PlainSpeech, plain
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import calls, says
from tests.conversation.test_turn import spoken
from tests.each import each
from tests.pipeline.planted import done

SPOKEN_CHANNELS = [channel for channel in Channel if channel.is_spoken]
WRITTEN = {
    "Good morning. We're open 24/7, Mon - Fri, 9-5; that's 80 € or 5 %.": None,
    "**Bold**, *em*, __strong__, _slanted_ and `code`.": "Bold, em, strong, slanted and code.",
    "We offer:\n- **Haircut**: 40 €\n* Colour: 80 €\n\nAnything else?": (
        "We offer:\nHaircut: 40 €.\nColour: 80 €.\n\nAnything else?"
    ),
    "# Prices\n\n1. Haircut\n2. Colour\n": "Prices.\n\n1. Haircut.\n2. Colour",
    "• Cut\n  ◦ Colour\n+ Wash": "Cut.\nColour.\nWash",
    "See [our page](https://rosa.example/a_(b)?x=1) or [this one](https://rosa.example/ 'Rosa').": (
        "See our page or this one."
    ),
    "See [https://rosa.example](https://rosa.example) or <https://a.example/b>!": "See the website or the website!",
    "It is on https://rosa.example/a_b*c, or www.rosa.example.": "It is on the website, or the website.",
    "Write to **john_doe@rosa.example** (mailto:a@rosa.example).": "Write to john_doe@rosa.example (a@rosa.example).",
    "_https://rosa.example_ *www.rosa.example/*": "the website the website",
    "![Rosa](http://x.example/y.png) waves": "Rosa waves",
    "| Cut | 40 |\n|:---|---:|\n| Wash | 10 |\nThat is all.": "Cut, 40.\n\nWash, 10.\nThat is all.",
    "<b>Hi</b> there<br>Tom &amp; Ann &#42;x&#42; <Rosa>": "Hi there\nTom & Ann x <Rosa>",
    "One\n---\nTwo\n***\n> Three": "One\n\nTwo.\n\nThree",
    "```python\nprint\n```": "\nprint",
    "Room #5, 5 * 3, \\*star\\* snake_case ~~old~~": "Room 5, 5 3, star snake_case old",
    "h\u200bttps://rosa.example/x **\u200b*": "the website ",
    "\uff0aFull\uff0a \uff03width": "Full width",
    "[x] done\n[ ] not done": "done.\nnot done",
    "ftp://a.example and tel:+4930123": "the website and +4930123",
    "https://rosa.example/" + "x" * 2_000 + " and on": "the website and on",
}


def blanks(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text).strip(" ")


@pytest.mark.requirement("003-335")
@each("size", [1, 2, 3, 7, 100_000])
@each("text", WRITTEN)
def test_what_is_written_for_the_eye_is_said_for_the_ear(text: str, size: int) -> None:
    """However a model's server cuts it: a piece may hold half a mark."""
    speech = PlainSpeech("en")
    said = "".join(speech.feed(text[i : i + size]) for i in range(0, len(text), size)) + speech.rest()
    wanted = WRITTEN[text]
    assert blanks(said) == blanks(text if wanted is None else wanted)


@pytest.mark.requirement("003-335")
@each(("language", "words"), [("de-AT", "die Webseite"), ("fr", "le site web"), ("fi", "the website")])
def test_where_a_link_was_is_said_in_the_language_of_the_business(language: str, words: str) -> None:
    """An address that is left out leaves a sentence that can be understood."""
    assert plain("https://rosa.example/", language) == words


_PARTS = """
a Rosa * ** _ # ` [ ]( ) < > | &#42; \\ ~~ https:// http: // www. .example/ a.example @ : / ! ?x=1 \u200b
"""
ALPHABET = st.sampled_from([*_PARTS.split(), "- ", "* ", "1. ", "\u2022 ", " ", "\n"])


@pytest.mark.requirement("003-335")
@given(st.lists(ALPHABET, max_size=30))
@example([":", "*", "//"])
@example([":*//"])
@example(["a:", "<b>", "//", "x"])
def test_whatever_is_written_no_mark_bullet_or_address_is_said(pieces: list[str]) -> None:
    """Anything that a model, an owner or a stranger can put together, in any pieces."""
    speech = PlainSpeech("en")
    said = "".join(map(speech.feed, pieces)) + speech.rest()
    assert not re.search(r"[*#`\u2022]|~~", said)
    assert "://" not in said and not re.search(r"(?<![a-z0-9])www\.", said)
    assert not re.search(r"(?m)^[ \t]*[-+][ \t]", said)


@pytest.mark.requirement("003-335")
def test_an_ordinary_word_is_never_held() -> None:
    """Nobody waits for the next word to hear this one."""
    speech = PlainSpeech("en")
    pieces = ["We", " open", " at", " nine", ".", " Shall", " I", " book", " it?"]
    assert [speech.feed(piece) for piece in pieces] == pieces


@pytest.mark.requirement("003-335")
def test_half_an_address_is_the_most_that_a_cut_can_betray() -> None:
    """Of one without a scheme its first name may have been said before it was one."""
    speech = PlainSpeech("en")
    said = "".join(map(speech.feed, ["It is on", " rosa", ".example", "/book", "?x=1", " now."])) + speech.rest()
    assert said == "It is on rosa the website now."


@pytest.mark.requirement("003-335")
@each(
    "text", ["[" * 50_000, "*" * 50_000, "a-" * 25_000, "<a" * 25_000, "[a](" * 15_000, "a.a" * 20_000, "\n" * 50_000]
)
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    """Nothing that a stranger can have a model repeat holds everybody up: so much work per character, and no more."""
    speech = PlainSpeech("en")
    for i in range(0, len(text), 50):
        speech.feed(text[i : i + 50])
        assert len(speech._held) <= 700
        assert len(speech._word) <= 64


@pytest.mark.requirement("003-335")
@pytest.mark.parametrize("channel", Channel)
async def test_a_models_marks_reach_those_who_read_and_not_those_who_listen(talk: Talk, channel: Channel) -> None:
    """The history holds what was heard, so that an interruption can be placed in it."""
    written = ["We of", "fer:\n- *", "*Haircut** ([see](https://rosa", ".example))"]
    conversation = talk(says(*written), channel=channel)
    heard = spoken(await answer(conversation))
    assert heard == ("We offer:\nHaircut (see)" if channel.is_spoken else "".join(written))
    assert conversation.session.history.last_spoken == heard


@pytest.mark.requirement("003-335")
@pytest.mark.parametrize("channel", SPOKEN_CHANNELS)
async def test_a_question_with_marks_in_it_is_asked_without_and_a_yes_to_it_counts(
    talk: Talk, channel: Channel
) -> None:
    """And a yes to it counts. What stands in it was worded by a model; what is agreed to stays what it was."""
    what = "**lunch** see https://rosa.example/x"
    wish = calls(("book", {"what": what}))
    conversation = talk(wish, wish, says("Done."), channel=channel)
    heard = await answer(conversation)
    asked = next(event for event in heard if isinstance(event, QuestionAsked))
    assert spoken(heard).strip() == asked.question == "Book lunch see the website?"
    assert spoken(await answer(conversation, "Yes")) == "Done."
    assert done == [what]


@pytest.mark.requirement("003-335")
@pytest.mark.parametrize("channel", SPOKEN_CHANNELS)
async def test_what_owners_and_tools_have_said_first_is_plain_as_well(talk: Talk, channel: Channel) -> None:
    """A message that a tool left, and the filler of a tool."""
    conversation = talk(calls(("leave_message", {})), says("Well."), says("Hello."), channel=channel)
    conversation.session.waiting.say_first("**Your parcel** is on https://rosa.example")
    heard = await answer(conversation)
    assert spoken(heard).startswith("Your parcel is on the website")
    assert not any("*" in event.text for event in heard if isinstance(event, Text))
