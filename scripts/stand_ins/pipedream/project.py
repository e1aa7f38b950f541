"""One project: its credentials, its users' accounts, and what was run for them."""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from stand_ins.pipedream.components import COMPONENTS, Apps, Component, check
from stand_ins.pipedream.refusal import Refusal

CLIENT_ID, CLIENT_SECRET, PROJECT_ID = "stand-in-client", "stand-in-secret", "proj_standin"
ENVIRONMENTS = ("development", "production")
LIFETIME_S = 3_600
_RUN_FIELDS = {"id", "external_user_id", "configured_props", "version", "dynamic_props_id", "stash_id"}
_PROPS_FIELDS = {"id", "external_user_id", "configured_props", "dynamic_props_id", "blocking"}
Body = Mapping[str, Any]


@dataclass
class Project:
    """Tokens, accounts and runs, the oldest first."""

    lifetime_s: float = LIFETIME_S
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)
    apps: Apps = field(default_factory=Apps)
    tokens: dict[str, float] = field(default_factory=dict)
    dynamic: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def token(self, body: Body) -> dict[str, Any]:
        """Give a token out.

        Raises:
            Refusal: As Pipedream refuses it.
        """
        if body.get("grant_type") != "client_credentials":
            raise Refusal(400, "unsupported_grant_type")
        given = f"{body.get('client_id')}:{body.get('client_secret')}"
        if not hmac.compare_digest(given.encode(), f"{CLIENT_ID}:{CLIENT_SECRET}".encode()):
            raise Refusal(401, "invalid_client")
        text = secrets.token_urlsafe(24)
        self.tokens[text] = time.monotonic() + self.lifetime_s
        return {"access_token": text, "token_type": "Bearer", "expires_in": self.lifetime_s}

    def admit(self, authorization: str, environment: str, project_id: str) -> None:
        """Refuse whoever shows no good token for this project.

        Raises:
            Refusal: 401, 400 or 404.
        """
        kind, _, text = authorization.partition(" ")
        if kind != "Bearer" or self.tokens.get(text, 0.0) <= time.monotonic():
            raise Refusal(401, "Unauthorized")
        if environment not in ENVIRONMENTS:
            raise Refusal(400, "x-pd-environment must be development or production")
        if project_id != PROJECT_ID:
            raise Refusal(404, "Project not found")

    def connect(self, body: Body) -> dict[str, Any]:
        """Return a new account of a user, as if its owner had connected it."""
        account = {
            "id": body.get("id") or "apn_" + secrets.token_urlsafe(6),
            "name": body.get("name"),
            "external_id": str(body["external_user_id"]),
            "app": {
                "name_slug": str(body["app"]),
                "name": str(body["app"]).replace("_", " ").title(),
                "auth_type": "oauth",
                "img_src": "",
                "categories": [],
                "featured_weight": 0,
                "scope_profiles": [],
            },
            "healthy": True,
            "dead": False,
            "error": None,
            "created_at": datetime.now(UTC).isoformat(),
            "credentials": {"oauth_access_token": secrets.token_urlsafe(16)},
            "environment": body.get("environment", "production"),
        }
        self.accounts[account["id"]] = account
        return account

    def revoke(self, id: str) -> None:
        """Take an account's permission back at the app: Pipedream notices when it is used."""
        self.account(id)["error"] = "invalid_grant: Token has been expired or revoked."

    def account(self, id: str, environment: str | None = None) -> dict[str, Any]:
        """Return an account.

        Raises:
            Refusal: 404, also where it lies in the other environment.
        """
        account = self.accounts.get(id)
        if account is None or environment not in (None, account["environment"]):
            raise Refusal(404, "Account not found")
        return account

    def listed(self, query: Mapping[str, str], environment: str) -> dict[str, Any]:
        """Return a page of accounts, the oldest first.

        Raises:
            Refusal: 400, for a cursor or a limit that cannot be.
        """
        chosen = {"external_id": query.get("external_user_id"), "app": query.get("app")}
        rows = [
            row
            for row in self.accounts.values()
            if row["environment"] == environment
            and chosen["external_id"] in (None, row["external_id"])
            and chosen["app"] in (None, row["app"]["name_slug"])
        ]
        after, limit = query.get("after"), query.get("limit", "10")
        if not limit.isdigit() or not 0 < int(limit) <= 100:
            raise Refusal(400, "limit must be between 1 and 100")
        cursors = [_cursor(row) for row in rows]
        if after is not None and after not in cursors:
            raise Refusal(400, "Invalid cursor")
        begin = cursors.index(after) + 1 if after is not None else 0
        page = rows[begin : begin + int(limit)]
        ends = {"start_cursor": _cursor(page[0]), "end_cursor": _cursor(page[-1])} if page else {}
        return {"data": page, "page_info": {"count": len(page), "total_count": len(rows), **ends}}

    def component(self, key: object, version: object = None) -> Component:
        """Return a component.

        Raises:
            Refusal: 404.
        """
        component = COMPONENTS.get(str(key))
        if component is None or version not in (None, "", component.version):
            raise Refusal(404, "Component not found")
        return component

    def reload(self, body: Body, environment: str) -> dict[str, Any]:
        """Return the fields that a component has with some values set.

        Raises:
            Refusal: As Pipedream refuses it.
        """
        component, given, _ = self._checked(body, environment, _PROPS_FIELDS)
        if component.dynamic is None:
            raise Refusal(400, "Component has no dynamic props")
        check(component.props, given)
        props = [*component.props, *component.dynamic(self.apps, given)]
        id = f"dyp_{len(self.dynamic) + 1}"
        self.dynamic[id] = props
        return {"dynamic_props": {"id": id, "configurable_props": props}, "errors": [], "observations": []}

    def run(self, body: Body, environment: str) -> dict[str, Any]:
        """Run an action.

        Raises:
            Refusal: As Pipedream refuses it, before anything ran.
        """
        component, given, account = self._checked(body, environment, _RUN_FIELDS)
        stash = body.get("stash_id")
        if not (stash is None or stash is True or isinstance(stash, str)):
            raise Refusal(400, "stash_id must be a string or true")
        props = component.props
        if "dynamic_props_id" in body:
            props = self.dynamic.get(str(body["dynamic_props_id"]), [])
        check(props, given)
        if account["error"]:
            account["healthy"], account["dead"] = False, True
            return broken("Error", account["error"])
        values = {name: value for name, value in given.items() if not isinstance(value, dict)}
        ended = component.act(self.apps, values)
        run = {"id": component.key, "user": body["external_user_id"], "account": account["id"], "props": values}
        self.runs.append(run | {"stash": stash})
        return {"exports": {"$summary": ended.summary, **ended.exports}, "os": [], "ret": ended.ret}

    def _checked(
        self, body: Body, environment: str, known: set[str]
    ) -> tuple[Component, dict[str, Any], dict[str, Any]]:
        strange = sorted(body.keys() - known)
        if strange:
            raise Refusal(400, f"Unknown field: {strange[0]}")
        user, given = body.get("external_user_id"), body.get("configured_props")
        if not isinstance(user, str) or not 0 < len(user) <= 250:
            raise Refusal(400, "external_user_id is required")
        if not isinstance(given, dict):
            raise Refusal(400, "configured_props must be an object")
        component = self.component(body.get("id"), body.get("version"))
        (taking,) = [prop for prop in component.props if prop["type"] == "app"]
        shown = given.get(taking["name"])
        if not isinstance(shown, dict) or shown.keys() != {"authProvisionId"}:
            raise Refusal(400, f"Missing auth for prop {taking['name']}")
        account = self.account(str(shown["authProvisionId"]), environment)
        if account["external_id"] != user:
            raise Refusal(403, "The account does not belong to this external user")
        if account["app"]["name_slug"] != taking["app"]:
            raise Refusal(400, f"The account is not one of {taking['app']}")
        return component, given, account


def _cursor(account: Mapping[str, Any]) -> str:
    return base64.b64encode(str(account["id"]).encode()).decode()


def broken(name: str, message: str) -> dict[str, Any]:
    """Return the answer, a success by its status, to an action whose own code failed."""
    error = {"name": name, "message": message}
    observed = {
        "k": "error",
        "ts": int(time.time() * 1_000),
        "err": error | {"stack": f"{name}: {message}\n    at run"},
    }
    return {"exports": {}, "os": [observed], "ret": None, "error": error}
