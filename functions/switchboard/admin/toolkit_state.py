"""A toolkit as one business has set it up, and what becomes of that by an owner's change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from switchboard.admin.owner_request import problem
from switchboard.admin.refusal import NotValid
from switchboard.catalog.toolkit import AuthType, Toolkit, config_problems, sensitive_problems, unconfigured
from switchboard.contract.json import JsonObject


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
            "config": self.config,
            "sensitiveConfig": secrets_to_json(toolkit, self.since),
            "isConnected": self.is_connected,
            "needsReauth": self.needs_reauth,
            "missing": list(self.missing),
        }


@dataclass(frozen=True, slots=True)
class Change:
    """What an owner wants of a toolkit: None leaves a part as it is; a secret of None is taken away."""

    config: Any = None
    sensitive: Any = field(default=None, repr=False)

    def checked(self, toolkit: Toolkit, *, is_partial: bool = False) -> "Change":
        """Return the change itself if it can be made.

        Raises:
            NotValid: Every problem at once; no value is quoted.
        """
        found = [] if self.config is None else config_problems(toolkit, self.config, is_partial=is_partial)
        found += [] if self.sensitive is None else sensitive_problems(toolkit, self.sensitive)
        if found:
            raise NotValid([problem(error) for error in found])
        return self


def secrets_to_json(toolkit: Toolkit, since: Mapping[str, datetime]) -> JsonObject:
    """Return for each sensitive field whether it is set, and since when: all that is ever told of one."""
    return {name: {"isSet": name in since, "since": since.get(name)} for name in toolkit.sensitive}


def changed(toolkit: Toolkit, data: Mapping[str, Any], change: Change, since: Mapping[str, datetime]) -> JsonObject:
    """Return a business's fields with a change made: the settings, and whether the toolkit is connected now."""
    before = integrations_of(data).get(toolkit.integration, {})
    settings = toolkit.config_schema["properties"]
    config = before if change.config is None else change.config
    managed = {name: value for name, value in before.items() if name not in settings}
    after = managed | {name: value for name, value in config.items() if name in settings}
    if toolkit.auth_type is not AuthType.OAUTH2:
        after |= {"isConnected": not _missing(toolkit, after, since), "needsReauth": False}
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


def _missing(toolkit: Toolkit, stored: Mapping[str, Any], since: Mapping[str, datetime]) -> tuple[str, ...]:
    secrets = [name for name in toolkit.required_secrets if name not in since]
    return (*unconfigured(toolkit, stored), *secrets)


def integrations_of(data: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """Return what a business has connected, by name; what is no object is left out."""
    found = data.get("integrations")
    return {k: v for k, v in found.items() if isinstance(v, Mapping)} if isinstance(found, Mapping) else {}
