"""What is sent by those who mean no good, or whose programs do not work."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from drills import premises

HTTP_REFUSAL, REFUSAL, TYPED = "400 or 413", "400 or an envelope that says no", "anything that has a type"
_DEEP = 100_000
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1e308, -0.0, 2**63, 2**200, 10**30, 0.1 + 0.2),
    *("", " ", "\0", "a" * 10_000, "{{business.id}}", "../../etc", "' OR 1=1 --", "<script>", "\u202e\u2066", "\ud800"),
    *("é" * 200, "😀" * 100, "true", "null", "[]", "\r\nX: y", "__proto__", "%00", "${jndi:ldap://x}", "+1" + "9" * 60),
    *([], {}, [[]], [None] * 200, {"": ""}, {"a": {"b": {"c": []}}}, [1, "a", None]),
)


@dataclass(frozen=True)
class Hostile:
    """One request's body, and what is expected of the answer."""

    name: str
    body: bytes
    expected: str


def bodies() -> Iterator[Hostile]:
    """Yield bodies that are no request at all."""
    for name, body in _bodies().items():
        yield Hostile(f"body: {name}", body, HTTP_REFUSAL)


def _bodies() -> dict[str, bytes]:
    good = json.dumps(premises.request("get_working_hours", {}, "good"))
    with_args = good.replace('"args": {}', '"args": %s')
    assert with_args != good
    by_name = {
        "empty": b"",
        "blank": b" \n\t",
        "no JSON": b"businessId=drilled&name=get_working_hours",
        "cut off": good[:-3].encode(),
        "trailing": good.encode() + b"}",
        "two values": good.encode() * 2,
        "not UTF-8": b'{"businessId": "\xff\xfe\xfd"}',
        "UTF-16": good.encode("utf-16"),
        "byte order mark": b"\xef\xbb\xbf" + good.encode(),
        "zeros": b"\0" * 1000,
        "deep lists": b"[" * _DEEP,
        "deep closed lists": b"[" * _DEEP + b"]" * _DEEP,
        "deep objects": b'{"a":' * _DEEP + b"1" + b"}" * _DEEP,
        "1 MiB and more of text": json.dumps({"a": "x" * 1_100_000}).encode(),
        "5 MB": b"[" + b"1," * 2_500_000 + b"1]",
        "1 MiB of numbers": b"[" + b"1," * 500_000 + b"1]",
        "20,000 keys": json.dumps({f"key{n}": n for n in range(30_000)}).encode(),
        "comments": good.replace("{", "{/* */", 1).encode(),
        "single quotes": good.replace('"', "'").encode(),
        "key twice": good.replace("{", '{"businessId": "other", ', 1).encode(),
        "key twice, escaped": good.replace("{", '{"\\u0062usinessId": "other", ', 1).encode(),
        "unescaped control character": good.replace("drilled", "dri\nlled").encode(),
        "lone surrogate": good.replace("good", "\\ud800").encode(),
    }
    for name, value in {
        "NaN": "NaN",
        "Infinity": "-Infinity",
        "1e400": "1e400",
        "-1e999999": "-1e999999",
        "5,000 digits": "9" * 5_000,
        "5,000 digits behind the point, no exponent": "1" * 4_400,
        "hexadecimal": "0x10",
        "leading zeros": "0012",
        "undefined": "undefined",
        "deep": "[" * 5_000 + "]" * 5_000,
        "65 deep": '{"a":' * 65 + "1" + "}" * 65,
    }.items():
        by_name[f"args hold {name}"] = (with_args % f'{{"limit": {value}}}').encode()
    for name, text in {"a list": "[]", "null": "null", "a number": "1", "text": '"{}"', "true": "true"}.items():
        by_name[name] = text.encode()
    by_name |= {f"fields: {name}": json.dumps(body).encode() for name, body in _wrong_fields().items()}
    return by_name


def _wrong_fields() -> dict[str, Any]:
    good = premises.request("get_working_hours", {}, "good")
    wrong: tuple[Any, ...] = (None, 1, True, [], {}, "", "x" * 300)
    by_name = {}
    for field, value in itertools.product(("businessId", "name"), wrong):
        by_name[f"{field} is {str(value)[:8]!r}"] = {**good, field: value}
    for value in (None, 1, True, [], "", "phone"):
        by_name[f"context is {value!r}"] = {**good, "context": value}
    for field, values in {
        "channel": (*wrong, "PHONE", "phone ", "fax"),
        "turn": (-1, 1.5, "1", True, None, [], {}, 10**9, 10**30),
        "sessionId": (1, True, [], {}, "x" * 300),
        "callId": (1, True, [], {}, "x" * 300),
        "callerPhone": (1, True, [], {}, "9" * 300),
        "callerVerified": ("true", 1, None, [], {}),
        "authToken": (1, [], {}),
        "attestation": (1, [], {}),
    }.items():
        for value in values:
            context = {**good["context"], field: value}
            by_name[f"context.{field} is {str(value)[:8]!r}"] = {**good, "context": context}
    by_name["no context"] = {name: value for name, value in good.items() if name != "context"}
    return by_name


def arguments(start: datetime) -> Iterator[Hostile]:
    """Yield well-formed requests whose tool or arguments cannot be meant."""
    numbers = itertools.count()
    for tool, args, what in _arguments(start):
        body = premises.request(tool, args, f"args-{next(numbers)}")
        yield Hostile(f"{tool[:30]!r}: {what}", json.dumps(body).encode(), REFUSAL)


def _arguments(start: datetime) -> Iterator[tuple[str, Any, str]]:
    for name in (
        "no_such_tool",
        "BOOK APPOINTMENT",
        "../end_call",
        "__init__",
        "execute",
        "é",
        "\u202eend_call",
        "x" * 200,
    ):
        yield name, {}, "no such tool"
    good: dict[str, Any] = premises.booking("x", start)["args"]
    for value in (None, [], 1, True, "", "null", "[]", "{", "{}}", '{"a":' * 5_000, "[" * 40_000, "NaN", "x" * 40_000):
        yield "book_appointment", value, f"arguments are {str(value)[:10]!r}"
    for text in ('{"service": "a", "service": "b"}', '{"duration_minutes": NaN}', '{"a": 1e400}', '{"a": "\\ud800"}'):
        yield "book_appointment", text, f"arguments as text: {text[:30]}"
    yield "book_appointment", {**good, **{f"key{n}": n for n in range(600)}}, "600 unknown keys"
    yield "book_appointment", {**good, "notes": "x" * 40_000}, "40 KB of notes"
    yield "book_appointment", {**good, "deep": json.loads("[" * 50 + "]" * 50)}, "50 deep"
    yield "book_appointment", {}, "nothing"
    for field, values in {
        "service": (*_wrong_types("text"), "", "No such service", "\0", "x" * 121),
        "customer_name": (*_wrong_types("text"), "", "   ", "x" * 121),
        "start_time": (*_wrong_types("text"), *_MOMENTS),
        "duration_minutes": (*_wrong_types("number"), 0, -5, 5.5, 481, 10**12, 2**63, 1e300, "many", "9" * 400),
        "customer_phone": (*_wrong_types("text"), "12", "abc", "9" * 41, "sip:x@y", "+", "\u0661" * 3),
        "customer_email": (*_wrong_types("text"), "x", "@", "a@b@c", f"{'x' * 250}@example.com", "a\n@example.com"),
        "notes": _wrong_types("text"),
        "unknown": (1, None, {}),
    }.items():
        for value in values:
            yield "book_appointment", {**good, field: value}, f"{field} is {str(value)[:20]!r}"
    for value in (*_wrong_types("text"), *_DAYS):
        yield "get_working_hours", {"date": value}, f"date is {str(value)[:20]!r}"
    for value in (*_wrong_types("text"), "", "x" * 40_000):
        yield "search_knowledge", {"query": value}, f"query is {str(value)[:20]!r}"
    for value in (*_wrong_types("number"), 0, -1, 11, 2**63, "many"):
        yield "search_knowledge", {"query": "parking", "limit": value}, f"limit is {str(value)[:20]!r}"


_MOMENTS = (
    *("", "x", "now", "tomorrow", "2027", "10:00", "2027-02-30T10:00:00", "2027-13-01T10:00:00", "2027-03-01T25:00:00"),
    *("0000-01-01T00:00:00", "0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    *("10000-01-01T00:00:00", "-0001-01-01T00:00:00", "2027-03-01T10:00:00+99:99", "2027-03-01T10:00:61", "9" * 2_000),
    *("1970-01-01T00:00:00", "2027-03-01T10:00:00.000000000001", "2027-W09-1T10:00:00", "9999-12-31T23:59:59"),
    *("\u0662\u0660\u0662\u0667-03-01T10:00:00", "\0"),
)
_DAYS = ("", "x", "today", "2027-02-30", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2027-1-1", "9" * 300)


def sweep(tools: Sequence[Mapping[str, Any]], count: int, seed: int) -> Iterator[Hostile]:
    """Yield calls of every offered tool with each of its arguments replaced by strange values, at most so many."""
    requests = [
        (tool["name"], name, value)
        for tool in tools
        for name in (*tool["parameters"].get("properties", {}), "business_id")
        for value in (*_VALUES, *_MOMENTS, *_DAYS)
    ]
    random.Random(seed).shuffle(requests)
    examples = {tool["name"]: _example(tool["parameters"]) for tool in tools}
    for number, (tool, name, value) in enumerate(requests[:count]):
        body = premises.request(tool, {**examples[tool], name: value}, f"sweep-{number}")
        yield Hostile(f"{tool}: {name} is {str(value)[:20]!r}", json.dumps(body).encode(), TYPED)


def _example(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that a schema of the simple kind allows, as far as its required ones go."""
    properties = parameters.get("properties", {})
    return {name: _one_of(properties[name]) for name in parameters.get("required", ())}


def _one_of(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kinds = {"integer": schema.get("minimum", 1), "number": 1, "boolean": True, "array": [], "object": {}}
    words = {"date": "2027-03-01", "date-time": "2027-03-01T10:00:00", "email": "a@example.com"}
    allowed = schema.get("type", "")
    kind = allowed[0] if isinstance(allowed, list) else allowed
    return kinds.get(kind, words.get(schema.get("format", ""), premises.SERVICE))


def _wrong_types(right: str) -> tuple[Any, ...]:
    return ([], {}, [[]], {"a": 1}, *((1, True, 1.5) if right == "text" else ([1], "", "x", True)))


def mutations(start: datetime, count: int, seed: int) -> Iterator[Hostile]:
    """Yield a good request, changed at random in one to three ways; the same ones for the same seed."""
    chance = random.Random(seed)
    good = premises.booking("mutated", start)
    good["args"] |= {"notes": "none", "duration_minutes": 15, "customer_phone": "+15185550171"}
    for number in range(count):
        value = copy.deepcopy(good)
        for id in ("sessionId", "callId"):
            value["context"][id] += f"-{number}"
        if chance.random() < 0.5:
            for _ in range(chance.randint(1, 3)):
                chance.choice(_CHANGES)(value, chance)
            text = json.dumps(value)
        else:
            text = json.dumps(value)
            for _ in range(chance.randint(1, 3)):
                text = _changed_text(text, chance)
        yield Hostile(f"mutation {number}", text.encode("utf-8", "surrogatepass"), TYPED)


def _place(value: dict[str, Any], chance: random.Random) -> tuple[dict[str, Any], str]:
    holder = chance.choice([value, *(inner for inner in value.values() if isinstance(inner, dict) and inner)])
    return holder, chance.choice(list(holder) or [""])


def _replace(value: dict[str, Any], chance: random.Random) -> None:
    holder, name = _place(value, chance)
    holder[name] = copy.deepcopy(chance.choice(_VALUES))


def _remove(value: dict[str, Any], chance: random.Random) -> None:
    holder, name = _place(value, chance)
    holder.pop(name, None)


def _rename(value: dict[str, Any], chance: random.Random) -> None:
    holder, name = _place(value, chance)
    holder[chance.choice(("", name.upper(), f"{name} ", "\0", "business_id", "x" * 500))] = holder.pop(name, 1)


def _move(value: dict[str, Any], chance: random.Random) -> None:
    (holder, name), (other, other_name) = _place(value, chance), _place(value, chance)
    if holder.get(name) is not other:
        other[other_name] = copy.deepcopy(holder.get(name))


_CHANGES: tuple[Callable[[dict[str, Any], random.Random], None], ...] = (_replace, _replace, _remove, _rename, _move)


def _changed_text(text: str, chance: random.Random) -> str:
    at, other = chance.randrange(len(text) or 1), chance.randrange(len(text) or 1)
    return chance.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + chance.choice('{}[]",:\\ 0eE-+.\0\n\ufeff\u2028é') + text[at:],
            text[:at] + chance.choice(("\\u0000", "\\ud83d", "null", "1e999", '"a":1,', "\\x", "//")) + text[at:],
            text[: max(at, other)] + text[min(at, other) :],
            text[:at],
        )
    )
