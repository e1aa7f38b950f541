"""A language is the same however its tag is written."""

from switchboard.contract.business.languages import language_of
from tests.each import each


@each(
    ("tag", "language"),
    [("de", "de"), ("de-AT", "de"), ("DE_ch", "de"), (" pt-BR ", "pt"), ("zh-Hant-TW", "zh"), ("-x", ""), ("", "")],
)
def test_a_tag_tells_its_language_in_small_letters(tag: str, language: str):
    """Hyphens are right, and underscores are what some systems write."""
    assert language_of(tag) == language
