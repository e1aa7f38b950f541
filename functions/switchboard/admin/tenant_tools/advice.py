"""What will keep an owner's own tool from working although it can be saved; told like the linter's words.

It depends on what else is set up: numbers, people, secrets. They may follow the tool, so that none of it is refused.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from switchboard.admin.documents.literals import hidden_places, without_literals
from switchboard.admin.tenant_tools.form import findings
from switchboard.admin.tenant_tools.record import StoredTenantTool
from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.toolkits.toolkits import SecretKeeper
from switchboard.catalog.definitions.variables import names_in
from switchboard.catalog.schema.lint.rules import LintFinding, LintSeverity
from switchboard.catalog.tenant_tools.config import ToolConfig, names_caller
from switchboard.catalog.tenant_tools.config_kinds import SmsSettings, TransferSettings
from switchboard.catalog.tenant_tools.config_parameters import Extendable, Fixed, is_required
from switchboard.catalog.tenant_tools.config_request import RequestSettings
from switchboard.catalog.tenant_tools.definition import OwnTool
from switchboard.contract.business.business import Business
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.definitions.tenant_tool import TenantTool
from switchboard.contract.error import ToolError
from switchboard.contract.policy import OWNERS_READ_TOTAL_S
from switchboard.contract.store import StoreError
from switchboard.desk.contact.phone import Purpose, dialable, text_countries
from switchboard.desk.contact.recipients import may_text_anyone
from switchboard.desk.escalation.transfers import destinations
from switchboard.desk.tenant_tools.api_secrets import TOOLKIT

log = logging.getLogger(__name__)

Unreachable: TypeAlias = Callable[[str], str | None]
"""Tells why no request to an address is ever sent, as a part of a sentence about it; None where one is."""
_MOST_NAMED = 5


class Advice:
    """Looks at tools as they are saved and read."""

    def __init__(self, tools: ToolStore, secrets: SecretKeeper, unreachable: Unreachable) -> None:
        """Read businesses from `tools`, and from `secrets` which there are."""
        self._tools, self._secrets, self._unreachable = tools, secrets, unreachable

    async def about(self, business_id: str, stored_tool: StoredTenantTool) -> tuple[LintFinding, ...]:
        """Return what is found in a tool: what it waits for, and what the linter says; nothing in an unusable one.

        Raises:
            NotFound: There is no such business.
        """
        if stored_tool.tool is None:
            return ()
        try:
            business = (await self._tools.owner(business_id)).business
            known = await self._secrets.kept_since(business_id, TOOLKIT)
            attached = await self._tools.attachments(business_id, tool_id=stored_tool.id)
        except StoreError as error:
            # The tool is saved all the same, and says so.
            log.warning("a tool is not looked at", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return findings(stored_tool.tool)
        unattached = () if any(not row.is_leaving for row in attached) else _unattached(business_id, stored_tool.tool)
        return (
            *waits_for(stored_tool.tool, business, known, self._unreachable),
            *findings(stored_tool.tool),
            *_unsaid(stored_tool.tool),
            *unattached,
        )


def _unattached(business_id: str, tool: TenantTool) -> Iterator[LintFinding]:
    """Yield what is still to be done with a tool that no agent has; `attachToAgent` only says that one may."""
    if tool.is_enabled and (tool.attach_to_agent or tool.execute_on_call_start):
        text = (
            "is attached to no agent yet, so that no conversation has it; attach it under Agents, or by POST "
            f'/api/{business_id}/agents/<agent>/tools with {{"toolId": "{tool.id}"}}'
        )
        yield LintFinding("unattached", LintSeverity.HINT, tool.name, "attachToAgent", text)


def _unsaid(tool: TenantTool) -> Iterator[LintFinding]:
    """Yield that nobody has said what an action's answer holds where it was done."""
    settings = OwnTool(tool).config.settings
    if isinstance(settings, RequestSettings) and settings.method != "GET" and not settings.response.get("done"):
        text = (
            "is not said: an answer counts as done unless it says otherwise in the words that services commonly have. "
            'Say where yours tells that it was done, such as {"at": "status", "is": ["placed", "pending"]}; then only '
            "that counts"
        )
        yield LintFinding("unsaid-success", LintSeverity.HINT, tool.name, "request.response.done", text)


def waits_for(
    tool: TenantTool, business: Business, secrets: Collection[str], unreachable: Unreachable
) -> tuple[LintFinding, ...]:
    """Return what keeps a sound tool from working in this business as it is, each as a warning.

    Args:
        tool: The tool.
        business: Whose it is.
        secrets: The names of those that were entered.
        unreachable: Tells why no request to an address is ever sent.
    """
    config = OwnTool(tool).config
    problems = [*_at_call_start(config), *_about_caller(tool, config), *_about_literals(tool)]
    match config.settings:
        case SmsSettings():
            problems += _about_texts(config, config.settings, business)
        case TransferSettings():
            problems += _about_transfer(config.settings, business)
        case RequestSettings():
            problems += [*_about_address(config.settings, unreachable), *_about_secrets(config.settings, secrets)]
            problems += [*_about_patience(config, config.settings), *_about_key(config.settings)]
    return tuple(LintFinding(rule, LintSeverity.WARNING, tool.name, place, text) for rule, place, text in problems)


def _about_caller(tool: TenantTool, config: ToolConfig) -> Iterator[tuple[str, str, str]]:
    if config.leaves_caller_open and names_caller(tool.config_metadata):
        yield (
            "shown-number",
            "callerNumber",
            'is not said: anybody can have anybody\'s number shown. Write "proven" if the answer tells of whoever the '
            'number belongs to, so that callers are verified first, or "contact" if it does not',
        )


def _about_literals(tool: TenantTool) -> Iterator[tuple[str, str, str]]:
    for place in hidden_places(without_literals(tool.config_metadata), ""):
        sentence = (
            "holds a credential, which everybody who may edit tools can read; enter it under Secrets, and name it in a "
            'header, as in {"secret": "its_name"}'
        )
        yield "literal-credential", place, sentence


def _at_call_start(config: ToolConfig) -> Iterator[tuple[str, str, str]]:
    asked = [name for name, parameter in config.parameters.items() if is_required(parameter)]
    if config.execute_on_call_start and asked:
        never = "" if config.attach_to_agent else ", and so never at all"
        yield (
            "call-start",
            "executeOnCallStart",
            f"cannot run when a call starts{never}: nobody has given {_listed(asked)} by then; fix it, or require none",
        )


def _about_texts(config: ToolConfig, settings: SmsSettings, business: Business) -> Iterator[tuple[str, str, str]]:
    given = config.parameters.get("recipients")
    listed = settings.recipients if isinstance(settings.recipients, list) else [settings.recipients]
    if isinstance(given, Fixed | Extendable):
        fixed = given.value if isinstance(given, Fixed) else list(given.base)
        listed = fixed if isinstance(fixed, list) else [fixed]
    wrong = [number for number in listed if _is_spelled(number) and not _is_usable(number, business, "text")]
    if wrong:
        countries = " and ".join(sorted(text_countries(business))) or "no country"
        yield (
            "unusable-number",
            "recipients",
            f"has {_listed(wrong)}, which cannot be texted; write mobile numbers in {countries}, or allow further "
            "countries where the phone account is set up",
        )
    if settings.dictated:
        yield "dictated-number", "recipients", _about_dictated(settings, business)
    if settings.sender_id and settings.sender_id not in own_numbers(business):
        instead = _listed(own_numbers(business)) or '"called_number"'
        yield "unknown-sender", "from", f"is none of your own numbers, so that nothing is sent; use {instead}"
    sender = config.hidden.get("from")
    named = {"phone_number_id", "phoneNumberId"} & sender.keys() if isinstance(sender, Mapping) else frozenset()
    if named and not settings.sender_id:
        sentence = 'is not used, since the type is called_number; write "specific_number", or leave the number out'
        yield "unused-sender", f"from.{min(named)}", sentence


def _about_dictated(settings: SmsSettings, business: Business) -> str:
    who = (
        "anybody, also who shows no number or a forged one,"
        if settings.texts_anyone or may_text_anyone(business)
        else "every caller who is verified or whose carrier vouches for their number"
    )
    return (
        f"lets {who} have any number texted at your cost and in your name, by naming it. Safer: a list of your own "
        '("enum" in the schema) to choose from, a fixed number, or ["{{caller_phone_number}}"]. Callers of whom '
        "nothing is known reach only themselves and you, unless textAnyone says otherwise"
    )


def _about_transfer(settings: TransferSettings, business: Business) -> Iterator[tuple[str, str, str]]:
    if settings.number and not _is_usable(settings.number, business, "transfer"):
        sentence = (
            f"has {settings.number}, which nobody is put through to; write an ordinary number that is not this line"
        )
        yield "unusable-number", "destination.number", sentence
    known = [person.id for person in destinations(business)]
    if settings.rule_id and settings.rule_id not in known:
        instead = f"use {_listed(known)}" if known else "enter somebody to put callers through to first"
        yield "unknown-person", "destination.id", f"is nobody who callers are put through to; {instead}"


def _about_address(settings: RequestSettings, unreachable: Unreachable) -> Iterator[tuple[str, str, str]]:
    problem = unreachable(settings.url.origin)
    if problem is not None:
        sentence = f"is never called: {problem}; write one that anybody on the internet can reach"
        yield "unreachable-address", "request.url", sentence


def _about_patience(config: ToolConfig, settings: RequestSettings) -> Iterator[tuple[str, str, str]]:
    if settings.method == "GET" and (config.timeout_ms or 0) > OWNERS_READ_TOTAL_S * 1000:
        sentence = (
            f"is more than a look-up takes: it ends after {OWNERS_READ_TOTAL_S:g} seconds, whatever is written here; "
            "have your service answer sooner, or use POST for what takes longer"
        )
        yield "unused-patience", "timeoutMs", sentence


def _about_key(settings: RequestSettings) -> Iterator[tuple[str, str, str]]:
    for header in settings.headers:
        if settings.is_idempotent and header.name.lower() == "idempotency-key" and header.is_fixed:
            sentence = (
                "is the same for every call, and your service does one thing once for one key: all but the first would "
                "be lost; leave it out, and each wish is sent with a key of its own"
            )
            yield "one-key-for-all", f"request.headers.{header.name}", sentence


def _about_secrets(settings: RequestSettings, known: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for header in settings.headers:
        if header.secret and header.secret not in known:
            sentence = f"needs the secret {header.secret}, which nobody has entered yet; until then nothing is sent"
            yield "missing-secret", f"request.headers.{header.name}", sentence


def _is_spelled(number: object) -> bool:
    return isinstance(number, str) and not names_in(number)


def _is_usable(number: str, business: Business, purpose: Purpose) -> bool:
    try:
        dialable(number, business, purpose)
    except ToolError:
        return False
    return True


def _listed(names: Iterable[object]) -> str:
    names_quoted = [f'"{str(name)[:60]}"' for name in names]
    more = f" and {len(names_quoted) - _MOST_NAMED} more" if len(names_quoted) > _MOST_NAMED else ""
    return ", ".join(names_quoted[:_MOST_NAMED]) + more
