"""The actions that the stand-in knows, with fields as Pipedream's own components have them, and what they give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from stand_ins.pipedream.refusal import Refusal

Props = Mapping[str, Any]
Sheet = list[list[Any]]


@dataclass
class Apps:
    """What lies in the apps that actions reach, the same for all accounts."""

    rows: Sheet = field(default_factory=lambda: [["name", "phone"], ["Anna Whitfield", "+15185550161"]])
    sent: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Ended:
    """What an action ended with."""

    summary: str
    ret: Any
    exports: Props = field(default_factory=dict)


@dataclass(frozen=True)
class Component:
    """One action.

    Attributes:
        props: `configurable_props`.
        act: Does what it does.
        dynamic: The further fields that there are once these are set; None where there never are any.
    """

    key: str
    name: str
    props: list[dict[str, Any]]
    act: Callable[[Apps, Props], Ended]
    dynamic: Callable[[Apps, Props], list[dict[str, Any]]] | None = None
    version: str = "0.2.1"

    def described(self) -> dict[str, Any]:
        """Return it as Pipedream shows it."""
        shown = {"key": self.key, "name": self.name, "version": self.version, "component_type": "action"}
        return shown | {"configurable_props": self.props}


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "string[]": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
}


def check(props: list[dict[str, Any]], given: Props) -> None:
    """Hold values against the fields that there are.

    Raises:
        Refusal: 400, naming the first that does not fit.
    """
    known = {prop["name"]: prop for prop in props}
    for name, value in given.items():
        if name not in known:
            raise Refusal(400, f"Unknown prop: {name}", prop=name)
        fits = _TYPES.get(known[name]["type"])
        if fits is not None and not fits(value):
            raise Refusal(400, f"Invalid value for prop {name}: expected {known[name]['type']}", prop=name)
    for name, prop in known.items():
        if name not in given and not prop.get("optional") and "default" not in prop:
            raise Refusal(400, f"Missing required prop: {name}", prop=name)


def _send_email(apps: Apps, props: Props) -> Ended:
    apps.sent.append(dict(props))
    id = f"msg-{len(apps.sent)}"
    return Ended(f"Successfully sent email to {', '.join(props['to'])}", {"id": id, "labelIds": ["SENT"]})


def _columns(apps: Apps, props: Props) -> list[dict[str, Any]]:
    if not props.get("hasHeaders"):
        return [{"name": "myColumnData", "type": "string[]"}]
    return [{"name": f"col_{n:04}", "type": "string", "label": name} for n, name in enumerate(apps.rows[0])]


def _add_row(apps: Apps, props: Props) -> Ended:
    columns = sorted(name for name in props if name.startswith("col_"))
    apps.rows.append([props[name] for name in columns] or list(props.get("myColumnData", ())))
    return Ended("Added 1 row", {"updatedRange": f"Sheet1!A{len(apps.rows)}"})


def _find_row(apps: Apps, props: Props) -> Ended:
    chosen = [row for row in apps.rows[1:] if props["value"] in row]
    return Ended(f"Found {len(chosen)} rows", None, {"rows": chosen})


_SHEET = [
    # The field's name is not the app's slug.
    {"name": "googleSheets", "type": "app", "app": "google_sheets"},
    {"name": "sheetId", "type": "string", "label": "Spreadsheet"},
]
COMPONENTS = {
    component.key: component
    for component in (
        Component(
            "gmail-send-email",
            "Send Email",
            [
                {"name": "gmail", "type": "app", "app": "gmail"},
                {"name": "to", "type": "string[]", "label": "To"},
                {"name": "subject", "type": "string", "label": "Subject"},
                {"name": "body", "type": "string", "label": "Body"},
                {"name": "bodyType", "type": "string", "optional": True, "default": "plaintext"},
                {"name": "copies", "type": "integer", "optional": True},
                {"name": "isUrgent", "type": "boolean", "optional": True},
            ],
            _send_email,
        ),
        Component(
            "google_sheets-add-single-row",
            "Add Single Row",
            [*_SHEET, {"name": "hasHeaders", "type": "boolean", "reloadProps": True}],
            _add_row,
            _columns,
        ),
        Component("google_sheets-find-row", "Find Row", [*_SHEET, {"name": "value", "type": "string"}], _find_row),
    )
}
