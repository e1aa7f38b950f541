"""The models that agents may choose."""

from switchboard.models.chosen import ChosenModels


def test_each_is_opened_when_it_first_speaks_and_no_other():
    opened = []

    def open(name):
        opened.append(name)
        return name if name != "fax:x" else None

    models = ChosenModels(("openai:a", "fax:x"), open, lambda model: f"watched {model}")
    assert opened == []
    assert [models(name) for name in ("openai:a", "openai:a", "openai:b", "fax:x", "")] == [
        *("watched openai:a", "watched openai:a", None, None, None)
    ]
    assert opened == ["openai:a", "fax:x"]
