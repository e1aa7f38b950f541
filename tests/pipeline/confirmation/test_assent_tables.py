"""Each phrase of an answer stands once: what is written twice is changed once."""

import pytest

from switchboard.pipeline.confirmation.assent_asides import (
    ALREADY_SAID,
    agreeing_frames,
    regretting_frames,
    said_frames,
)
from switchboard.pipeline.confirmation.assent_words import DEEDS_MORE, MORE
from switchboard.pipeline.confirmation.consent import PHRASES, plain_words
from tests.each import each


def phrases(table: str) -> list[tuple[str, ...]]:
    return [key for phrase in table.split(",") if (key := tuple(plain_words(phrase)))]


@pytest.mark.requirement("003-190")
@each("language", MORE)
def test_no_phrase_stands_in_two_tables_of_one_meaning(language: str) -> None:
    """In a table, in the frames that make the same, or in the table of answers that are understood by themselves."""
    framed = {"yes": set(agreeing_frames(language)), "filler": set(said_frames(language))}
    twice = [
        (sense, phrase)
        for sense, told in MORE[language].items()
        for phrase in phrases(told)
        if phrase in phrases(PHRASES[language].get(sense, ""))
        or phrase in framed.get(sense, ())
        or phrases(told).count(phrase) > 1
    ]
    already = phrases(ALREADY_SAID[language])
    twice += [("said", phrase) for phrase in already if phrase in framed["filler"] or already.count(phrase) > 1]
    for deed, tables in DEEDS_MORE.items():
        named = phrases(tables.get(language, ""))
        twice += [(deed, phrase) for phrase in named if named.count(phrase) > 1]
    assert twice == []
    assert framed["filler"].isdisjoint(regretting_frames(language))
