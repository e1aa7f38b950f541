"""A toolkit as one business has set it up, and what becomes of that by an owner's change."""

import re
from collections.abc import Collection, Mapping
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid, OutOfDate, problem
from switchboard.admin.audit.document_kind import revision_of
from switchboard.admin.documents.difference import differences
from switchboard.admin.documents.redaction import HIDDEN
from switchboard.catalog.tenant_tools.toolkit import (
    AuthType,
    Toolkit,
    config_problems,
    sensitive_problems,
    unconfigured,
)
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME

_CAPITAL = re.compile(r"[A-Z]")


@dataclass(frozen=True, slots=True)
class ToolkitState:
    """A toolkit as one business has set it up.

    Attributes:
        toolkit: Which one.
        config: Its public settings as they are stored.
        since: Since when each secret is kept, by field.
        is_connected: Whether its tools may be used.
        needs_reauth: Whether the outside system has refused what is kept.
        missing: Required settings and secrets that are not there.
    """

    toolkit: Toolkit
    config: JsonObject
    since: Mapping[str, datetime]
    is_connected: bool
    needs_reauth: bool
    missing: tuple[str, ...]

    @property
    def owned(self) -> JsonObject:
        """The owner's part: the settings, and of secrets since when they are kept."""
        return {"config": self.config, "sensitiveConfig": dict(self.since)}

    @property
    def revision(self) -> str:
        """Changes with the owner's part, and only with that."""
        return revision_of(self.owned)

    def to_json(self) -> JsonObject:
        """Return the toolkit and its state as owners see it: of secrets only whether and since when they are set."""
        toolkit = self.toolkit
        return {
            "name": toolkit.name,
            "displayName": toolkit.display_name,
            "description": toolkit.description,
            "integration": toolkit.integration,
            "auth": toolkit.public_auth(),
            "configSchema": toolkit.config_schema,
            "sensitiveSchema": toolkit.sensitive_schema,
            "actions": list(toolkit.actions),
            "provides": toolkit.provides,
            "config": self.config,
            "sensitiveConfig": secrets_to_json(toolkit, self.since),
            "isConnected": self.is_connected,
            "needsReauth": self.needs_reauth,
            "missing": list(self.missing),
            "revision": self.revision,
        }


@dataclass(frozen=True, slots=True)
class ToolkitChange:
    """What an owner wants of a toolkit: None leaves a part as it is; a secret of None is taken away."""

    config: Any = None
    sensitive: Any = field(default=None, repr=False)

    def spelled(self, toolkit: Toolkit) -> "ToolkitChange":
        """Return the change with its settings named as they are stored: seed 001 writes `calendar_id`."""
        if not isinstance(self.config, Mapping):
            return self
        known = {_snake(name): name for name in toolkit.config_schema["properties"]}
        names = [known.get(name, name) if isinstance(name, str) else name for name in self.config]
        # Given in both spellings, the second is no setting, and is refused as such.
        is_told_twice = len(set(names)) < len(names)
        return self if is_told_twice else replace(self, config=dict(zip(names, self.config.values(), strict=True)))

    def checked(self, toolkit: Toolkit, *, is_partial: bool = False) -> "ToolkitChange":
        """Return the change itself if it can be made.

        Raises:
            NotValid: Every problem at once; no value is quoted.
        """
        entries = [] if self.config is None else config_problems(toolkit, self.config, is_partial=is_partial)
        entries += [] if self.sensitive is None else sensitive_problems(toolkit, self.sensitive)
        if entries:
            raise NotValid([problem(error) for error in entries])
        return self

    def led_elsewhere(self, toolkit: Toolkit, now: ToolkitState) -> list[EntryProblem]:
        """Return what is wrong with a change by which secrets would be shown to somebody they were not kept for."""
        if not isinstance(self.config, Mapping):
            return []
        others = [n for n in toolkit.bound_to if n in now.config and self.config.get(n) != now.config[n]]
        secrets_left = [n for n in now.since if n not in (self.sensitive or {})]
        words = " or ".join(others)
        return [
            EntryProblem(f"sensitiveConfig.{n}", f"{n} was kept for another {words}; give it anew.")
            for n in secrets_left
            if others
        ]

    def effective(self, since: Mapping[str, datetime]) -> dict[str, str | None]:
        """Return the secrets that it keeps or takes away, once it is checked; one that is not there is not taken."""
        return {n: value for n, value in (self.sensitive or {}).items() if value is not None or n in since}


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda match: f"_{match[0].lower()}", name)


def names_after(since: Mapping[str, datetime], secrets: Mapping[str, str | None]) -> frozenset[str]:
    """Return which secrets are kept once some were kept or taken away."""
    return frozenset(name for name in {*since, *secrets} if secrets.get(name, "") is not None)


def told(
    config: tuple[JsonObject, JsonObject], since: Mapping[str, datetime], secrets: Mapping[str, str | None]
) -> tuple[JsonObject, JsonObject]:
    """Return what the audit says of a change, before and after: of secrets which and since when, and never what."""
    before: JsonObject = {"config": config[0]}
    after: JsonObject = {"config": config[1]}
    if secrets:
        secrets_left = {name: at for name, at in since.items() if name not in secrets}
        # The same time that is noted beside the secret itself, which is kept in the same commit.
        new = {name: SERVER_TIME for name, value in secrets.items() if value is not None}
        before["sensitiveConfig"] = {name: HIDDEN if name in secrets else at for name, at in since.items()}
        after["sensitiveConfig"] = secrets_left | new
    return before, after


def wanted(config: JsonObject, since: Mapping[str, datetime], change: ToolkitChange) -> JsonObject:
    """Return what an owner wanted, for showing it beside what is there: no secret is in it."""
    given = change.sensitive if isinstance(change.sensitive, Mapping) else {}
    secrets_left = {name: at for name, at in since.items() if name not in given}
    new = {str(name): HIDDEN for name, value in given.items() if value is not None}
    return {"config": config if change.config is None else change.config, "sensitiveConfig": secrets_left | new}


def stale(revision: str, current: JsonObject, yours: JsonObject | None) -> OutOfDate:
    """Return the refusal of a change that is based on something else than is set now."""
    return OutOfDate(revision, current, yours, differences(current, yours) if yours is not None else ())


def secrets_to_json(toolkit: Toolkit, since: Mapping[str, datetime]) -> JsonObject:
    """Return for each sensitive field whether it is set, and since when: all that is ever told of one."""
    return {name: {"isSet": name in since, "since": since.get(name)} for name in toolkit.sensitive}


def settled(
    toolkit: Toolkit, data: Mapping[str, Any], change: ToolkitChange, secrets_stored: Collection[str]
) -> JsonObject:
    """Return a business's fields with a change made: the settings, and whether the toolkit is connected now."""
    before = integrations_of(data).get(toolkit.integration, {})
    settings = toolkit.config_schema["properties"]
    config = before if change.config is None else change.config
    managed = {name: value for name, value in before.items() if name not in settings}
    after = managed | {name: value for name, value in config.items() if name in settings}
    if toolkit.auth_type is not AuthType.OAUTH2:
        after |= {"isConnected": not _missing(toolkit, after, secrets_stored), "needsReauth": False}
    return {**data, "integrations": {**integrations_of(data), toolkit.integration: after}}


def state_of(toolkit: Toolkit, data: Mapping[str, Any], since: Mapping[str, datetime]) -> ToolkitState:
    """Return a toolkit as a business's fields, and the times of its secrets, say."""
    stored = integrations_of(data).get(toolkit.integration, {})
    return ToolkitState(
        toolkit=toolkit,
        config={name: stored[name] for name in toolkit.config_schema["properties"] if name in stored},
        since={name: at for name, at in since.items() if name in toolkit.sensitive},
        is_connected=stored.get("isConnected") is True,
        needs_reauth=stored.get("needsReauth") is True,
        missing=_missing(toolkit, stored, since),
    )


def _missing(toolkit: Toolkit, stored: Mapping[str, Any], secrets_stored: Collection[str]) -> tuple[str, ...]:
    secrets = [name for name in toolkit.required_secrets if name not in secrets_stored]
    return (*unconfigured(toolkit, stored), *secrets)


def integrations_of(data: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return what a business has connected, by name; what is no object is left out."""
    value = data.get("integrations")
    return {k: v for k, v in value.items() if isinstance(v, Mapping)} if isinstance(value, Mapping) else {}
