"""The questions to which the recorded answers in `data/assents_*.tsv` were given, as the product puts them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.definition import Definition, Kind
from switchboard.pipeline.confirmation.prompt import read_back

LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt")
DEEDS = {"cancel": ("cancelled",), "move": ("moved",), "email": ("mailed",)}
_TOOLS = {"cancel": "cancel_appointment", "move": "reschedule_appointment", "email": "send_email"}
_WORDS = {
    "en": ("Haircut", "Anna Meyer"),
    "de": ("Haarschnitt", "Anna Meyer"),
    "es": ("Corte de pelo", "Ana Gómez"),
    "fr": ("Coupe", "Anne Petit"),
    "it": ("Taglio", "Anna Rossi"),
    "nl": ("Knipbeurt", "Anna Jansen"),
    "pt": ("Corte", "Ana Silva"),
}
_TOOLS_AT = Path(__file__).parents[2] / "functions" / "switchboard" / "tools"
_NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)


def question(asked: str, language: str) -> str:
    """Return the question that a tool puts in a business's language."""
    service, person = _WORDS[language]
    zone = ZoneInfo("Europe/Berlin")
    then = datetime(2026, 11, 27, 10, 0, tzinfo=zone)
    given: dict[str, Any] = {"start_time": then, "service": service, "customer_name": person}
    if asked == "move":
        given["new_start_time"] = datetime(2026, 11, 30, 15, 30, tzinfo=zone)
    if asked == "email":
        given = {"to": "anna@example.com", "subject": "Price list", "body": "A haircut is 45 euros. Change at will."}
    schema = orjson.loads((_TOOLS_AT / _TOOLS[asked] / "schema.json").read_bytes())
    definition = Definition(_TOOLS[asked], "calendar", Kind.ACTION, "", {}, read_back=schema["readBack"])
    return read_back(definition, given, Business("b", language=language, timezone=zone), _NOW)
