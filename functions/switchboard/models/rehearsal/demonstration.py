"""What the pages say where the rehearsal answers: that it does, how a model is connected, and what can be asked."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Scene
from switchboard.models.rehearsal.spoken_time import SpokenTime, spoken
from switchboard.models.rehearsal.vocabulary import LanguageVocabulary, vocabulary

CONNECT = ("export OPENAI_API_KEY=sk-…", "SWITCHBOARD_MODEL=openai:gpt-5-mini scripts/run")
"""The two lines that connect a language model."""
_DAYS_LOOKED_AT = 30


def demonstration(
    scenes: Mapping[Channel, Scene], language: str, now: datetime, questions: Sequence[str] = ()
) -> JsonObject:
    """Return `{text, connect, lines, examples}`, where `examples` are questions by channel, all of which work now.

    Args:
        scenes: What is offered, by channel.
        language: The business's.
        now: Its local time, without a zone.
        questions: Some to which the business has written the answers down.
    """
    words = vocabulary(spoken(language))
    times = SpokenTime(words.language, now)
    return {
        "text": words.say("demo"),
        "connect": words.say("demo_connect"),
        "lines": list(CONNECT),
        "ask": words.say("demo_ask"),
        "examples": {
            channel.value: list(_examples(scene, words, times, questions)) for channel, scene in scenes.items()
        },
    }


def _examples(scene: Scene, words: LanguageVocabulary, times: SpokenTime, questions: Sequence[str]) -> Iterator[str]:
    business, offered = scene.business, {definition.name for definition in scene.definitions}
    if business is None:
        return
    services = business.services
    priced = next((service for service in services if service.price), None)
    day = next(_open_days(scene, times.now.date()), None)
    if business.working_hours.weekly:
        yield words.examples["hours"]
    if priced is not None:
        yield words.examples["price"].format(service=priced.name)
    if day is not None and services and "check_availability" in offered:
        yield words.examples["free"].format(service=services[0].name, day=times.calendar_day(day))
    if day is not None and services and "book_appointment" in offered:
        yield words.examples["book"].format(
            service=services[-2 if len(services) > 2 else 0].name, day=times.calendar_day(day)
        )
    if "lookup_appointment" in offered and "verify_caller" in offered:
        yield words.examples["mine"]
    if "take_message" in offered:
        yield words.examples["message"]
    if "search_knowledge" in offered or "kb_search" in offered:
        yield from questions
    yield words.examples["who"]


def _open_days(scene: Scene, today: date) -> Iterator[date]:
    """Yield the coming days on which the business is open; every day where it has not said when."""
    business = scene.business
    hours = business.working_hours if business is not None else None
    for ahead in range(1, _DAYS_LOOKED_AT):
        day = today + timedelta(days=ahead)
        if hours is None or not hours.weekly or hours.on(day):
            yield day
