"""Businesses to begin with, one of each trade and language: hours, services, people, rules, policies and answers.

They are the folders of `seeds/templates`, which `scripts/build_tools` checks and joins into one file that is deployed
with the code. Each is a made-up business: what reaches it (numbers, addresses, accounts) and what it is called stays
behind, so that nobody's calls are put through to it.
"""

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.maintenance.business_folder import BusinessFolder
from switchboard.contract.business.names import nearest
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

ARTIFACT = Path(__file__).parents[3] / "business_templates.json"
COLLECTIONS = ("policies", "faqs", "knowledge", "agents")
"""What a business begins with below its document; the made-up one's customers and appointments are nobody's."""

# The made-up business's own, each entered for the real one or left out.
_ITS_OWN = ("name", "phone", "email", "address", "website", "portalUrl", "twilioNumber", "search")
_BUILT_IN = "builtinCalendar"


@dataclass(frozen=True, slots=True)
class BusinessTemplate:
    """One of them.

    Attributes:
        id: Its folder's name, such as `salon-en`.
        trade: What such a business calls itself, such as "hair salon"; in its language.
        language: A language tag.
        made_up: What the made-up business is called.
        timezone: Where it is, as an IANA name; a business elsewhere names its own.
        services: What can be booked there, by name.
        document: The business's document, but for what is the made-up one's own.
        collections: What lies below it, by collection and id.
    """

    id: str
    trade: str
    language: str
    made_up: str
    timezone: str
    services: tuple[str, ...]
    document: JsonObject
    collections: Mapping[str, Mapping[str, JsonObject]]

    def renamed(self, value: Any, name: str) -> Any:
        """Return a value of a document with the business's own name wherever the made-up one's stands in a text."""
        if isinstance(value, str):
            return value.replace(self.made_up, name)
        if isinstance(value, Mapping):
            return {key: self.renamed(each, name) for key, each in value.items()}
        return [self.renamed(each, name) for each in value] if isinstance(value, list) else value


class BusinessTemplates:
    """Those that were deployed with the code, read when somebody asks for the first time."""

    def __init__(self, artifact: Path = ARTIFACT) -> None:
        self._artifact = artifact

    @cached_property
    def all(self) -> Mapping[str, BusinessTemplate]:
        """All of them, by id; none where no artifact was built."""
        if not self._artifact.exists():
            return {}
        stored = json.loads(self._artifact.read_text(encoding="utf-8"))
        return {id: _template(id, row) for id, row in sorted(stored.items())}

    def named(self, id: str) -> BusinessTemplate:
        """Return a template.

        Raises:
            NotValid: There is none of this id; names the nearest one and all there are.
        """
        if id in self.all:
            return self.all[id]
        meant = nearest(id, tuple(self.all))
        asked = f"did you mean {meant}? Known are" if meant else "use one of"
        raise NotValid([EntryProblem("template", f"There is no template {id[:60]!r}; {asked} {', '.join(self.all)}.")])


def joined(folders: Mapping[str, BusinessFolder]) -> JsonObject:
    """Return what the artifact holds of the templates' folders."""
    return {
        id: {
            "document": folder.document,
            **{name: folder.collections[name] for name in COLLECTIONS if name in folder.collections},  # type: ignore[index]
        }
        for id, folder in sorted(folders.items())
    }


def _template(id: str, row: Mapping[str, Any]) -> BusinessTemplate:
    document: JsonObject = {name: value for name, value in row["document"].items() if name not in _ITS_OWN}
    connected = document.get("integrations") or {}
    document["integrations"] = {_BUILT_IN: connected[_BUILT_IN]} if _BUILT_IN in connected else {}
    return BusinessTemplate(
        id=id,
        trade=str(document.get("industry") or ""),
        language=str((document.get("ai") or {}).get("language") or ""),
        made_up=str(row["document"]["name"]),
        timezone=str(document["timezone"]),
        services=tuple(str(service["name"]) for service in document.get("services") or ()),
        document=document,
        collections={name: row[name] for name in COLLECTIONS if name in row},
    )
