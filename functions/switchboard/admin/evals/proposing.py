"""A conversation made a scenario: the same lines, the model's own output, made-up people, and what came of it.

What is proposed comes to the same as the conversation did, as long as nothing has changed; whoever keeps it edits it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from switchboard.admin.access.known_business import business_document
from switchboard.admin.evals.disguise import Disguise
from switchboard.admin.evals.expecting import expectations_of
from switchboard.admin.evals.scenario import MOST_LINES
from switchboard.admin.evals.setting import ConversationSetting, setting_of
from switchboard.admin.evals.stored_conversation import (
    ModelCall,
    StoredConversation,
    read_conversation,
    unrepeatable,
)
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.document import objects_of, strings, text
from switchboard.contract.json import JsonObject, leaves
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Filter, Query
from switchboard.desk.bookings.booking import booking_id
from switchboard.desk.contact.phone import region_of

_REFERENCE = "$"
_SENT_WITHIN = timedelta(minutes=1)
_MOST_SENT = 200
_OTHERS = {"two callers": "it was held by one caller alone"}
_NAMES = re.compile(r"(?:customer|caller|contact|first|last|full)_name$")
_NUMBERS = re.compile(r"phone|number$|^to$")
_MAILS = re.compile(r"mail")
_BIRTHS = re.compile(r"birth")
# Appointments that somebody speaks of are less long ago.
_GROWN = timedelta(days=730)


async def propose(store: Store, within: BusinessPaths, id: str, name: str = "") -> JsonObject:
    """Return a scenario's fields that hold a kept conversation again, in the order in which they are read.

    Args:
        store: Where it is.
        within: Whose.
        id: The conversation's.
        name: What the test is to be called; otherwise after its day and what was done.

    Raises:
        NotFound: There is no such business or conversation.
        NotValid: It cannot be held again; the sentence says why.
        StoreError: The store's.
    """
    document = await business_document(store, within)
    business = read_business(document.id, document.data)
    held = await read_conversation(store, within, id)
    if len(held.turns) > MOST_LINES:
        raise unrepeatable(f"The caller said more than {MOST_LINES} things; choose a shorter one.")
    await _refuse_own_tools(store, within, held)
    setting = await setting_of(store, within, business, held)
    outbox = await _outbox(store, within, held)
    touched = {one for call in held.calls if (one := text(call.data.get("bookingId")))}
    stored = [one for one in await store.get_many([within.document("bookings", one) for one in touched]) if one]
    bookings = {one.id: one.data for one in stored}
    disguise = Disguise(document.data, region_of(business))
    _note(disguise, held, setting, [*bookings.values(), *outbox])
    fields = {
        "name": name or _name_of(held, business),
        "about": f"A {'phone call' if held.channel == 'phone' else 'chat'} as it was held; who speaks is made up.",
        "business": business.id,
        "add": disguise.of(setting.documents),
        "now": f"{held.began.astimezone(business.timezone):%Y-%m-%d %H:%M:%S}",
        "channels": [held.channel.value],
        "caller": _shown(held, disguise),
        "agent": "recorded",
        "lines": [disguise.of(line) for line in _lines(held, setting, business)],
        "expect": disguise.of(expectations_of(held, business.timezone, bookings, outbox)),
        "without": dict(_OTHERS),
    }
    return {name: value for name, value in fields.items() if value != {}}


async def _refuse_own_tools(store: Store, within: BusinessPaths, held: StoredConversation) -> None:
    """Let a conversation through that called no tool of the business's own.

    Raises:
        NotValid: It did: nothing may reach an owner's service for a test.
    """
    own = {text(one.data.get("name")) for one in await store.query(Query(within.collection("tools")))}
    tool = next((call.tool for call in held.calls if call.tool in own), None)
    if tool is not None:
        raise unrepeatable(f"It used {tool}, one of your own tools, and no test may reach the service behind it.")


async def _outbox(store: Store, within: BusinessPaths, held: StoredConversation) -> list[Mapping[str, Any]]:
    """Return what was sent and passed on, as far as it is still kept; not what tells the business of a message."""
    receipts = [call.response.meta.get("receipt") for call in held.calls if call.is_done and call.response]
    ids = {id for row in objects_of(receipts) for id in strings(row.get("effectIds"))}
    numbers = {held.phone, *(text(call.data.get("customerPhone")) for call in held.calls)} - {""}
    ended = max([held.began, *(call.at for call in held.calls)]) + _SENT_WITHIN
    while_held = (Filter("createdAt", ">=", held.began), Filter("createdAt", "<=", ended))
    documents = await store.query(Query(within.collection("outbox"), while_held, limit=_MOST_SENT))
    return [
        one.data
        for one in documents
        if one.data.get("purpose") != "message"
        and (one.id in ids or one.data.get("sessionId") == held.session or one.data.get("to") in numbers)
    ]


def _name_of(held: StoredConversation, business: Business) -> str:
    done = [call.tool for call in held.calls if call.is_done and call.error == ""]
    what = done[-1].replace("_", "-") if done else held.channel.value
    words = re.sub(r"[^a-z0-9]+", "-", what.casefold()).strip("-") or "call"
    return f"{words}-{held.began.astimezone(business.timezone):%m%d-%H%M}"


def _shown(held: StoredConversation, disguise: Disguise) -> JsonObject:
    return {"phone": disguise.of(held.phone), "attestation": held.attestation} if held.phone else {}


def _note(
    disguise: Disguise, held: StoredConversation, setting: ConversationSetting, documents: Sequence[Mapping[str, Any]]
) -> None:
    """Note everybody who occurs in it: by fields first, which say plainly what a name is."""
    for caller in setting.callers.values():
        disguise.note_name(str(caller["name"]))
    values = [*setting.callers.values(), *documents]
    values += [value for call in held.calls for value in (call.arguments, call.data)]
    pairs = [
        (_snake(field), value) for each in values for field, value in leaves(each) if isinstance(value, str) and value
    ]
    for field, value in pairs:
        if _NAMES.search(field):
            disguise.note_name(value)
    disguise.note_number(held.phone)
    texts = [turn.said for turn in held.turns] + list(held.words)
    for words in texts:
        disguise.note_text(words)
        disguise.note_births(words, held.began.date() - _GROWN)
    for field, value in pairs:
        if _NUMBERS.search(field):
            disguise.note_number(value)
        if _MAILS.search(field):
            disguise.note_mail(value)
        if _BIRTHS.search(field) and (day := _day(value)) is not None:
            disguise.note_birth(day)


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None


def _lines(held: StoredConversation, setting: ConversationSetting, business: Business) -> Iterator[JsonObject]:
    """Yield what the caller said and what the model did; a yes is said only where it is asked for."""
    answers: dict[str, JsonObject] = {}
    made = {id: booking_id(f"seeds/{business.id}/{name}") for id, name in setting.named.items()}
    asked: ModelCall | None = None
    for turn in held.turns:
        line: JsonObject = {"say": turn.said}
        if asked is not None:
            line = {"when": f"{_question(asked)} -> {turn.said}"}
        items: list[Any] = []
        asked = None
        for step in turn.steps:
            if isinstance(step, str):
                items.append(step)
                continue
            items.append({step.tool: _referring(step.arguments, answers, made)})
            asked = step if step.asks_for_a_yes else None
            if step.data:
                answers[step.tool] = step.data
        yield line | ({"agent": items} if items else {})


def _question(asked: ModelCall) -> str:
    """Return the condition that the caller was asked about the same again."""
    told = [value for name, value in asked.arguments.items() if isinstance(value, str) and name.endswith("time")]
    return f"readBack has {told[0]}" if told else f"asked has {asked.tool}"


def _referring(value: Any, answers: Mapping[str, JsonObject], made: Mapping[str, str]) -> Any:
    """Return arguments in which ids that the store gave are those that it gives the next time."""
    if isinstance(value, Mapping):
        return {name: _referring(inner, answers, made) for name, inner in value.items()}
    if isinstance(value, list):
        return [_referring(inner, answers, made) for inner in value]
    if not isinstance(value, str) or not value:
        return value
    for tool, data in reversed(list(answers.items())):
        place = next((place for place, told in _ids(data) if told == value), None)
        if place is not None:
            return f"{_REFERENCE}{tool}.{place}"
    return made.get(value, value)


def _ids(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each id in an answer, with the place where it stands."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        path = f"{place}.{key}" if place else str(key)
        if isinstance(inner, str) and (str(key) == "id" or str(key).endswith("Id")):
            yield path, inner
        yield from _ids(inner, path)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
