"""What an owner may say of an agent, checked whole: every problem at once, each with what would be right."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.access.roles import Operation
from switchboard.admin.agents.models import AgentForm
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.documents.one_line import one_line
from switchboard.catalog.tenant_tools.toolkit import Toolkit, config_problems
from switchboard.catalog.tenant_tools.toolkits import Toolkits
from switchboard.contract.business.limits import read_limits
from switchboard.contract.business.names import nearest
from switchboard.contract.business.voices import VOICE_PROVIDERS
from switchboard.contract.channel import Channel
from switchboard.contract.document import strings
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass

FIELDS = tuple(field.alias or name for name, field in AgentForm.model_fields.items())
_LONGEST_PATH = 200
_SETTING: Mapping[str, type] = {"enabled": bool, "config": Mapping}


def whole(data: Mapping[str, Any]) -> JsonObject:
    """Return the fields of a stored agent, each of the kind that it should be.

    Those that it does not have, or that are of another kind, as what leaving them out means.
    """
    channels, known, limits = data.get("channels"), [c.value for c in Channel], data.get("limits")
    return {
        "name": one_line(_text(data, "name")) or None,
        "isDefault": data.get("isDefault") is True,
        "channels": [c for c in channels if c in known] if isinstance(channels, list) and channels else known,
        "language": _text(data, "language"),
        "description": _text(data, "description"),
        "vapiAssistantId": _text(data, "vapiAssistantId") or None,
        "tools": settings(data.get("tools")),
        "toolkits": settings(data.get("toolkits")),
        "limits": limits if isinstance(limits, Mapping) else {},
        "prompt": _text(data, "prompt"),
        "model": _text(data, "model"),
        "voice": _text(data, "voice"),
        "fillers": list(strings(data.get("fillers"))),
    }


def settings(stored: Any) -> JsonObject:
    """Return an agent's `tools` or `toolkits` as they are stored, by name, without what is of no use there."""
    rows = stored if isinstance(stored, Mapping) else {}
    return {
        name: {key: value for key, value in row.items() if isinstance(value, _SETTING.get(key, object))}
        for name, row in rows.items()
        if isinstance(row, Mapping)
    }


def agent_kind() -> DocumentKind:
    """Return what the audit, and the roles, call agents."""
    return DocumentKind(
        "agent",
        Operation.EDIT_AGENTS,
        lambda paths, id: paths.document("agents", id),
        lambda after, before: (),
        FIELDS,
        _needs,
    )


def _needs(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Operation, str]:
    # An agent without an assistant is nobody's there, so that one may be taken away, and an agent with one removed.
    assistant = _text(after, "vapiAssistantId")
    touched = {
        "what an agent sets for accounts": _settings_of(before) != _settings_of(after),
        "its assistant at Vapi (vapiAssistantId)": bool(assistant) and assistant != _text(before, "vapiAssistantId"),
    }
    words = " and ".join(one for one, is_touched in touched.items() if is_touched)
    return {Operation.CONNECT: words} if words else {}


def _settings_of(agent: Mapping[str, Any]) -> JsonObject:
    return {name: row["config"] for name, row in settings(agent.get("toolkits")).items() if row.get("config")}


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class AgentFields:
    """Checks agents of one business, against the toolkits, tools and models that it can have, by their names."""

    toolkits: Toolkits
    tools: Collection[str]
    models: Collection[str]

    def read(
        self, given: Mapping[str, Any], before: Mapping[str, Any], business: Mapping[str, Any] | None = None
    ) -> JsonObject:
        """Return an agent's document: its fields in one spelling, toolkits under their integration's name.

        Args:
            given: What an owner wants.
            before: The document as it is stored, empty for a new agent. Tools that it names stay allowed when they
                are not known any more, so that an old entry does not keep an owner from saving.
            business: Its business's document, whose limits hold where it sets none.

        Raises:
            NotValid: Everything that is wrong.
        """
        problems = wrong_with(AgentForm, dict(given)) or [
            *self._settings(given, before),
            *self._speech(given, before),
            *about_limits(given, before, business),
        ]
        if problems:
            raise NotValid(problems)
        channels = given.get("channels") or [c.value for c in Channel]
        return {
            "name": " ".join(given["name"].split()),
            "isDefault": given.get("isDefault") is True,
            "channels": [c.value for c in Channel if c.value in channels],
            "language": given.get("language") or "",
            "description": (given.get("description") or "").strip(),
            "vapiAssistantId": given.get("vapiAssistantId") or None,
            # What a tool was given before its settings had to be its toolkit's never meant anything.
            "tools": {
                name: _whole({"enabled": row.get("enabled")}) for name, row in (given.get("tools") or {}).items()
            },
            "toolkits": {self._integration(name): _whole(row) for name, row in (given.get("toolkits") or {}).items()},
            "limits": dict(given.get("limits") or {}),
            "prompt": (given.get("prompt") or "").strip(),
            "model": (given.get("model") or "").strip(),
            "voice": (given.get("voice") or "").strip(),
            "fillers": [" ".join(filler.split()) for filler in given.get("fillers") or ()],
        }

    def _settings(self, given: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[EntryProblem]:
        seen: dict[str, str] = {}
        for at, name, row in _rows(given, "toolkits"):
            toolkit = self.toolkits.named(name)
            if toolkit is None:
                names = [t.name for t in self.toolkits.all]
                meant = _meant(name, names)
                yield EntryProblem(at, f"{at}: there is no toolkit of that name.{meant} There are {', '.join(names)}.")
            elif seen.setdefault(toolkit.name, name) != name:
                yield EntryProblem(at, f"{at} is {seen[toolkit.name]} by another name; give it once.")
            yield from _about_toolkit(at, row, toolkit)
        stored = before.get("tools")
        earlier = stored if isinstance(stored, Mapping) else {}
        for at, name, row in _rows(given, "tools"):
            if name not in self.tools and name not in earlier:
                yield EntryProblem(at, f"{at}: this business has no tool of that name.{_meant(name, self.tools)}")
            yield from _about_tool(at, row, earlier.get(name), self.toolkits.of_tool(name))

    def _speech(self, given: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[EntryProblem]:
        model, voice = (_text(given, name).strip() for name in ("model", "voice"))
        if model and model not in self.models and model != before.get("model"):
            meant = _meant(model, self.models)
            yield EntryProblem(
                "model",
                f"model: no model {model!r} can be chosen here.{meant} Choose one of {', '.join(self.models)}, "
                "or leave it empty for the house's.",
            )
        provider, point, rest = voice.partition(".")
        if voice != before.get("voice") and point and (provider not in VOICE_PROVIDERS or not rest):
            near = get_close_matches(provider.capitalize(), VOICE_PROVIDERS, n=1, cutoff=0.5)
            meant = f" Did you mean {near[0]}.{rest}?" if near and rest and near[0] != provider else ""
            yield EntryProblem(
                "voice",
                f"voice: nobody speaks with a voice {voice!r}.{meant} Write it as Twilio does, such as "
                "Polly.Vicki-Neural or Google.de-DE-Wavenet-A.",
            )

    def _integration(self, name: str) -> str:
        toolkit = self.toolkits.named(name)
        return toolkit.integration if toolkit else name


def _meant(name: str, known: Iterable[str]) -> str:
    """Return a sentence that asks whether the nearest one was meant, behind a blank; empty where none is near."""
    close = nearest(name[:80], known)
    return f" Did you mean {close}?" if close else ""


def _rows(given: Mapping[str, Any], key: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for name, row in (given.get(key) or {}).items():
        yield f"{key}.{name[:80]}", name, row


def _about_toolkit(at: str, row: Mapping[str, Any], toolkit: Toolkit | None) -> Iterator[EntryProblem]:
    if toolkit is not None:
        for error in config_problems(toolkit, row.get("config") or {}, is_partial=True):
            yield EntryProblem(f"{at}.{error.field}", f"{at}.{error.field} {error.problem}; {error.remedy}.")


def _about_tool(at: str, row: Mapping[str, Any], earlier: Any, toolkits: Sequence[Toolkit]) -> Iterator[EntryProblem]:
    if row.get("config") and row["config"] != (earlier.get("config") if isinstance(earlier, Mapping) else None):
        places = " or ".join(f"toolkits.{toolkit.integration}" for toolkit in toolkits)
        where = f"set it for the toolkit instead, under {places}" if places else "leave it out"
        yield EntryProblem(f"{at}.config", f"{at}.config: a tool has no settings of its own; {where}.")


def about_limits(
    given: Mapping[str, Any], before: Mapping[str, Any], business: Mapping[str, Any] | None = None
) -> Iterator[EntryProblem]:
    """Yield what is wrong with an agent's limits, by themselves and beside those of its business."""
    limits = given.get("limits") or {}
    if limits != before.get("limits"):
        for text in read_limits(limits, read_limits((business or {}).get("limits"))[0])[1]:
            yield EntryProblem(text.partition(":")[0][:_LONGEST_PATH], f"{text}.")


def _whole(row: Mapping[str, Any]) -> JsonObject:
    return {"enabled": row.get("enabled") is not False, "config": dict(row.get("config") or {})}
