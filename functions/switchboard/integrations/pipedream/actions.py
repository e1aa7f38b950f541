"""Runs actions for businesses: the port `ActionRunner`, on Pipedream Connect."""

import logging
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.tenant_tool import BoundAction
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.pipedream.component import app_prop, fitted, unknown_among
from switchboard.integrations.pipedream.components import Components
from switchboard.integrations.pipedream.failures import broke_off, failure
from switchboard.integrations.pipedream.project import INTEGRATION, PipedreamProject, component_key, user_of
from switchboard.integrations.pipedream.transport import PipedreamTransport

log = logging.getLogger(__name__)

# A look at the account after a failure: worth a moment, not worth keeping a caller waiting.
_ACCOUNT_S = 1.5
_SUMMARY_CHARACTERS = 2_000
_LOST_ACCOUNTS = (ErrorType.PERMANENT, ErrorType.VALIDATION)


class PipedreamActions:
    """Runs ready-made actions of the apps that businesses have connected in one project."""

    def __init__(self, http: HttpSession, project: PipedreamProject, clock: Clock) -> None:
        """Connect nowhere yet."""
        self._transport = PipedreamTransport(http, project, clock)
        self._components = Components(self._transport, clock)

    async def run(self, business: Business, action: BoundAction) -> JsonObject:
        """Run one action, once, and return `{summary, result}` of what it gave back.

        No file that the action makes is kept (no `stash_id` is asked for).

        Args:
            business: Whose it is; its account is used, and no other business's.
            action: What is run, with which values.

        Raises:
            ToolError: AUTH, the app must be connected again. VALIDATION, a value is missing or not taken. RATE_LIMIT,
                nothing was done. PERMANENT, it never will work as it is set up; with partial side effects where the
                action itself broke off. TRANSIENT, it may work later; with partial side effects where nobody knows
                whether it ran: it is not sent again here, and must not be by whoever asked.
        """
        connection = business.integrations.get(INTEGRATION)
        if connection is None or not connection.is_connected:
            raise failure(ErrorType.PERMANENT, "the business has connected no apps")
        if connection.needs_reauth:
            raise failure(ErrorType.AUTH, "the connection is marked as gone")
        if not action.account_id:
            raise failure(ErrorType.AUTH, "the tool names no account")
        request = await self._request(business, action)
        try:
            answer = await self._transport.run(request)
            error = broke_off(answer)
            if error is not None:
                raise error
        except ToolError as error:
            # What is said of a lost account differs from app to app; whether it is lost, Pipedream itself knows.
            if error.type in _LOST_ACCOUNTS and await self._is_gone(business, action.account_id):
                raise failure(ErrorType.AUTH, f"the account cannot be used; {error.detail}") from error
            raise
        return _given_back(answer)

    async def _request(self, business: Business, action: BoundAction) -> JsonObject:
        key = component_key(action.action_key)
        props = await self._components.props(key, action.version)
        # The account last, under the field's own name: no value can take its place.
        account = {app_prop(props, action.app): {"authProvisionId": action.account_id}}
        body: JsonObject = {"id": key, "external_user_id": user_of(business)}
        if action.version:
            body["version"] = action.version
        unknown = unknown_among(props, action.props)
        if unknown and any(prop.reloads for prop in props):
            given = {name: value for name, value in action.props.items() if name not in unknown}
            reloading = body | {"configured_props": fitted(props, given) | account}
            reloaded = await self._components.reloaded(reloading, props)
            props, body["dynamic_props_id"] = reloaded.props, reloaded.id
            unknown = unknown_among(props, action.props)
        if unknown:
            raise failure(ErrorType.PERMANENT, f"{key} has no field {', '.join(unknown)}")
        return body | {"configured_props": fitted(props, action.props) | account}

    async def _is_gone(self, business: Business, account_id: str) -> bool:
        """Tell whether this business has no such account any more; what cannot be found out counts as no."""
        try:
            with ending_in(_ACCOUNT_S):
                account = await self._transport.find("accounts", account_id)
        except ToolError as error:
            log.info("account not looked at", extra={"reason": error.type.value})
            return False
        if account is None or account.get("dead") is True or account.get("healthy") is False:
            return True
        return account.get("external_id") not in (None, user_of(business))


def _given_back(answer: JsonObject) -> JsonObject:
    exports: Any = answer.get("exports")
    exports = exports if isinstance(exports, dict) else {}
    summary, result = exports.get("$summary"), answer.get("ret")
    if result is None:
        result = {name: value for name, value in exports.items() if not name.startswith("$")} or None
    return {"summary": str(summary)[:_SUMMARY_CHARACTERS] if summary else "", "result": result}
