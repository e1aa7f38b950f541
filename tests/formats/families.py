"""The families that the corpus of definitions is made of: hand-written shapes of real tools, over many trades.

`python -m tests.formats.families` writes `corpus/*.json` anew; a test holds the files against this. Every definition
comes with arguments that its canonical schema takes, which each dialect must be able to express and to give back.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
Row = dict[str, Any]
Family = Callable[[], Iterator[Row]]

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date", "description": "The day, YYYY-MM-DD."}
MOMENT = {"type": "string", "format": "date-time", "description": "When, with offset."}
EMAIL = {"type": "string", "format": "email", "maxLength": 254}
PHONE = {"type": "string", "pattern": "^\\+[1-9][0-9]{6,14}$", "description": "In E.164."}
UUID = {"type": "string", "format": "uuid"}
MONEY = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "minimum": 0, "multipleOf": 0.01},
        "currency": {"type": "string", "enum": ["EUR", "USD", "CHF", "GBP"]},
    },
    "required": ["amount", "currency"],
    "additionalProperties": False,
}
AN_ID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

# trade, what it is about, its stages, a coded field with an example
TRADES: list[tuple[str, str, list[str], str, str]] = [
    ("calendar", "event", ["tentative", "confirmed", "cancelled"], "^evt_[a-z0-9]{4}$", "evt_a1b2"),
    ("crm", "contact", ["lead", "prospect", "customer", "lost"], "^C-[0-9]{5}$", "C-00042"),
    ("shop", "order", ["open", "paid", "shipped", "returned"], "^[A-Z]{2}[0-9]{6}$", "AT123456"),
    ("health", "appointment", ["booked", "arrived", "in treatment", "done"], "^[0-9]{4} [0-9]{6}$", "1237 010180"),
    ("tickets", "ticket", ["new", "pending", "solved"], "^#[0-9]+$", "#981"),
    ("restaurant", "reservation", ["requested", "seated", "no-show"], "^T[0-9]{1,2}$", "T7"),
    ("hotel", "stay", ["held", "guaranteed", "checked in"], "^[1-9][0-9]{2}$", "204"),
    ("property", "viewing", ["planned", "done"], "^[A-Z]-[0-9]{2}/[0-9]{2}$", "B-12/03"),
    ("freight", "shipment", ["picked up", "in transit", "delivered", "lost"], "^1Z[0-9A-Z]{8}$", "1Z999AA101"),
    ("school", "lesson", ["offered", "full", "cancelled"], "^[1-8][a-d]$", "4b"),
    ("gym", "membership", ["trial", "active", "frozen", "ended"], "^M[0-9]{3,}$", "M1002"),
    ("vet", "patient", ["healthy", "ill", "recovering"], "^[0-9]{15}$", "040098100000001"),
    ("garage", "repair", ["diagnosis", "parts ordered", "ready"], "^[A-HJ-NPR-Z0-9]{17}$", "WVWZZZ1JZXW000001"),
    ("law", "matter", ["intake", "open", "closed"], "^[0-9]+ C [0-9]+/[0-9]{2}$", "12 C 345/26"),
    ("bank", "transfer", ["draft", "signed", "executed"], "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$", "AT611904300234573201"),
    ("utility", "meter", ["installed", "read", "removed"], "^Z[0-9]{7}$", "Z1234567"),
]


def row(name: str, kind: str, description: str, parameters: Row, *arguments: Row, **more: Any) -> Row:
    return {
        "name": name,
        "kind": kind,
        "description": description,
        "parameters": {"type": "object", **parameters},
        "arguments": list(arguments),
        **more,
    }


def of(properties: Row, *required: str, **more: Any) -> Row:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {}), **more}


def flat() -> Iterator[Row]:
    """Look-ups and orders as most tools are: a few plain arguments, with limits, defaults and formats."""
    for trade, thing, stages, pattern, code in TRADES:
        yield row(
            f"find_{trade}_{thing}",
            "retrieval",
            f"Find a {thing} by its code or its day.",
            of(
                {
                    "code": {"type": "string", "pattern": pattern, "description": f"The {thing}'s code."},
                    "day": DAY,
                    "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                    "stage": {"type": "string", "enum": stages, "default": stages[0]},
                    "archived": {"type": "boolean", "default": False},
                },
                additionalProperties=False,
            ),
            {"code": code},
            {"day": "2027-03-16", "limit": 50, "stage": stages[-1], "archived": True},
            {},
            returns=of({"found": {"type": "array", "items": of({"code": TEXT})}, "more": {"type": "boolean"}}, "found"),
        )
        yield row(
            f"save_{trade}_{thing}",
            "action",
            f"Save a {thing}. Use it once the caller has agreed.",
            of(
                {
                    "code": {"type": "string", "pattern": pattern},
                    "starts_at": MOMENT,
                    "contact_email": EMAIL,
                    "contact_phone": PHONE,
                    "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    "people": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 20},
                },
                "code",
                "starts_at",
            ),
            {"code": code, "starts_at": "2027-03-16T10:00:00+01:00"},
            {
                "code": code,
                "starts_at": "2027-03-16T10:00:00Z",
                "contact_email": "eva@example.com",
                "contact_phone": "+43660123456",
                "share": 0.5,
                "people": 3,
            },
            returns=of({"saved": {"const": True}, "id": TEXT}, "saved", "id"),
        )


def nested() -> Iterator[Row]:
    """Objects in objects in arrays, as carts, patients and shipments are told."""
    for n, (trade, thing, stages, pattern, code) in enumerate(TRADES):
        party = of(
            {
                "name": {"type": "string", "minLength": 1, "maxLength": 120},
                "address": of(
                    {
                        "street": TEXT,
                        "city": TEXT,
                        "postal_code": {"type": "string", "pattern": "^[0-9]{4,5}$"},
                        "country": {"type": "string", "minLength": 2, "maxLength": 2, "default": "AT"},
                    },
                    "street",
                    "city",
                ),
                "emails": {"type": "array", "items": EMAIL, "minItems": 0, "maxItems": 3, "uniqueItems": True},
            },
            "name",
            additionalProperties=False,
        )
        line = of(
            {
                "code": {"type": "string", "pattern": pattern},
                "quantity": {"type": "integer", "minimum": 1},
                "price": MONEY,
                "tags": {"type": "array", "items": {"type": "string", "enum": stages}},
            },
            "code",
            "quantity",
        )
        yield row(
            f"submit_{trade}_{thing}s",
            "action",
            f"Hand in several {thing}s for one party.",
            of(
                {
                    "party": party,
                    "lines": {"type": "array", "items": line, "minItems": 1, "maxItems": 20 + n},
                    "options": of({"urgent": {"type": "boolean"}, "note": {"type": ["string", "null"]}}),
                },
                "party",
                "lines",
                additionalProperties=False,
            ),
            {"party": {"name": "Eva Gruber"}, "lines": [{"code": code, "quantity": 1}]},
            {
                "party": {
                    "name": "Müller & Söhne",
                    "address": {"street": "Hauptstraße 1", "city": "Wien", "postal_code": "1010", "country": "AT"},
                    "emails": ["a@example.com", "b@example.com"],
                },
                "lines": [
                    {"code": code, "quantity": 2, "price": {"amount": 12.5, "currency": "EUR"}, "tags": [stages[0]]},
                    {"code": code, "quantity": 1, "tags": []},
                ],
                "options": {"urgent": True, "note": None},
            },
        )


def unions() -> Iterator[Row]:
    """Values of several kinds, with `anyOf`, `oneOf` and lists of types, plain and told apart by a word."""
    for trade, thing, stages, pattern, code in TRADES:
        yield row(
            f"filter_{trade}_{thing}s",
            "retrieval",
            f"List {thing}s that match every filter.",
            of(
                {
                    "which": {
                        "description": "One code, or several.",
                        "anyOf": [
                            {"type": "string", "pattern": pattern},
                            {"type": "array", "items": {"type": "string", "pattern": pattern}, "maxItems": 10},
                        ],
                    },
                    "value": {"type": ["string", "number", "boolean", "null"]},
                    "limit": {"type": ["integer", "string"], "minimum": 1, "maxLength": 4},
                    "range": {
                        "oneOf": [
                            {"type": "string", "enum": ["today", "this week", "ever"]},
                            of({"from": DAY, "until": DAY}, "from", additionalProperties=False),
                        ]
                    },
                },
                "which",
            ),
            {"which": code},
            {"which": [code, code], "value": None, "limit": 5, "range": "today"},
            {"which": code, "value": 2.5, "limit": "all", "range": {"from": "2027-01-01", "until": "2027-02-01"}},
            {"which": code, "value": True, "range": {"from": "2027-01-01"}},
        )
        yield row(
            f"notify_{trade}_{thing}",
            "action",
            f"Tell everybody about a {thing}.",
            of(
                {
                    "by": {
                        "oneOf": [
                            of({"kind": {"const": "email"}, "to": EMAIL, "subject": TEXT}, "kind", "to"),
                            of({"kind": {"const": "sms"}, "to": PHONE}, "kind", "to"),
                            of({"kind": {"const": "letter"}, "address": TEXT, "stage": {"enum": stages}}, "kind"),
                        ],
                        "discriminator": {"propertyName": "kind"},
                    },
                    "target": {
                        "type": "object",
                        "properties": {"code": TEXT, "id": UUID},
                        "anyOf": [{"required": ["code"]}, {"required": ["id"]}],
                    },
                },
                "by",
            ),
            {"by": {"kind": "email", "to": "eva@example.com", "subject": "Hi"}, "target": {"id": AN_ID}},
            {"by": {"kind": "sms", "to": "+43660123456"}},
            {"by": {"kind": "letter", "address": "Wien", "stage": stages[0]}, "target": {"code": code}},
        )


def enums() -> Iterator[Row]:
    """Words, numbers and mixtures to choose from; one word only; null among them."""
    for n, (trade, thing, stages, _, _) in enumerate(TRADES):
        yield row(
            f"set_{trade}_{thing}_stage",
            "action",
            f"Move a {thing} to another stage.",
            of(
                {
                    "stage": {"enum": stages},
                    "minutes": {"type": "integer", "enum": [15, 30, 45, 60 + n]},
                    "rate": {"enum": [0, 0.5, 1]},
                    "mode": {"const": "manual"},
                    "version": {"const": 2},
                    "dry_run": {"type": "boolean", "enum": [True]},
                    "reason": {"enum": ["caller", "staff", None]},
                    "mixed": {"enum": ["auto", 1, 2, None, False]},
                    "sort": {"type": "string", "enum": ["", "asc", "desc"]},
                    "nullable_word": {"type": ["string", "null"], "enum": ["a", "b", None]},
                },
                "stage",
            ),
            {"stage": stages[0]},
            {"stage": stages[-1], "minutes": 60 + n, "rate": 0.5, "mode": "manual", "version": 2, "dry_run": True},
            {"stage": stages[0], "reason": None, "mixed": 2, "sort": "", "nullable_word": None, "rate": 1},
            {"stage": stages[0], "reason": "caller", "mixed": "auto", "sort": "desc", "nullable_word": "b"},
            {"stage": stages[0], "mixed": False},
            {"stage": stages[0], "mixed": None},
        )


def nullables() -> Iterator[Row]:
    """Optional, required and nested values that may be null, in each of the ways in which that is written."""
    for trade, thing, _, pattern, code in TRADES:
        yield row(
            f"update_{trade}_{thing}",
            "action",
            f"Change a {thing}; null clears a field.",
            of(
                {
                    "code": {"type": "string", "pattern": pattern},
                    "note": {"type": ["string", "null"], "maxLength": 500},
                    "when": {"anyOf": [MOMENT, {"type": "null"}]},
                    "party": {"oneOf": [of({"name": TEXT, "age": {"type": ["integer", "null"]}}), {"type": "null"}]},
                    "labels": {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
                    "nothing": {"type": "null"},
                    "id": {"anyOf": [{"type": "null"}, UUID, {"type": "integer"}]},
                },
                "code",
                "note",
                additionalProperties=False,
            ),
            {"code": code, "note": None},
            {"code": code, "note": "x", "when": "2027-03-16T10:00:00Z", "party": {"name": "Eva", "age": None}},
            {"code": code, "note": None, "when": None, "party": None, "labels": None, "nothing": None, "id": None},
            {"code": code, "note": "", "labels": ["a", None], "id": 5, "party": {"age": 3}},
        )


def arrays() -> Iterator[Row]:
    """Arrays of arrays, of pairs, of anything."""
    for n, (trade, thing, stages, _, _) in enumerate(TRADES):
        size = n % 3 + 1
        point = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        yield row(
            f"plan_{trade}_{thing}_grid",
            "utility",
            "Work out a grid.",
            of(
                {
                    "cells": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                    "polygons": {"type": "array", "items": {"type": "array", "items": point, "minItems": size}},
                    "pair": {
                        "type": "array",
                        "prefixItems": [{"type": "string", "enum": stages}, {"type": "integer"}],
                        "items": False,
                        "minItems": 2,
                    },
                    "row": {"type": "array", "prefixItems": [DAY, {"type": "boolean"}], "items": {"type": "number"}},
                    "open_row": {"type": "array", "prefixItems": [TEXT]},
                    "matrix": {
                        "type": "array",
                        "items": {"type": "array", "items": {"type": "array", "items": {"enum": stages}}},
                        "contains": {"type": "array"},
                    },
                    "anything": {"type": "array"},
                },
                "cells",
            ),
            {"cells": [[1, 2], [], [3]]},
            {"cells": [], "polygons": [[[0, 0.5], [1, 1]] * size], "pair": [stages[0], 2]},
            {"cells": [[0]], "row": ["2027-01-01", True, 1, 2.5], "matrix": [[[stages[0]], []]]},
            {"cells": [], "anything": ["a", 1, [2], {"b": None}, None], "open_row": ["x", 3]},
        )


def recursive() -> Iterator[Row]:
    """What contains itself: trees, threads, filters, lists, and two that contain each other."""
    for n, (trade, thing, stages, _, _) in enumerate(TRADES):
        node = of(
            {
                "label": TEXT,
                "stage": {"enum": stages},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "label",
            "children",
        )
        yield row(
            f"sort_{trade}_{thing}_tree",
            "utility",
            "Sort a tree.",
            {**of({"tree": {"$ref": "#/$defs/node"}}, "tree"), "$defs": {"node": node}},
            {"tree": {"label": "a", "children": []}},
            {"tree": {"label": "a", "children": [{"label": "b", "stage": stages[0], "children": []}]}},
            {"tree": {"label": "a", "children": [{"label": "b", "children": [{"label": "c", "children": []}]}]}},
        )
        if n % 4 == 0:
            linked = of({"value": TEXT, "next": {"anyOf": [{"$ref": "#/$defs/linked"}, {"type": "null"}]}}, "value")
            yield row(
                f"walk_{trade}_{thing}_chain",
                "retrieval",
                "Walk a chain.",
                {
                    **of({"first": {"$ref": "#/$defs/linked", "description": "Where to begin."}}),
                    "$defs": {"linked": linked},
                },
                {"first": {"value": "a"}},
                {"first": {"value": "a", "next": {"value": "b", "next": None}}},
            )
        elif n % 4 == 1:
            clause = {
                "anyOf": [
                    of(
                        {"field": TEXT, "op": {"enum": ["=", "<", ">"]}, "value": {"type": ["string", "number"]}},
                        "field",
                        "op",
                    ),
                    of({"all": {"type": "array", "items": {"$ref": "#/$defs/clause"}}}, "all"),
                    of({"not": {"$ref": "#/$defs/clause"}}, "not"),
                ]
            }
            yield row(
                f"query_{trade}_{thing}s",
                "retrieval",
                "Find what fits a condition.",
                {**of({"where": {"$ref": "#/$defs/clause"}}, "where"), "$defs": {"clause": clause}},
                {"where": {"field": "a", "op": "=", "value": 3}},
                {"where": {"all": [{"field": "a", "op": "<"}, {"not": {"field": "b", "op": ">", "value": "x"}}]}},
            )
        elif n % 4 == 2:
            yield row(
                f"reply_{trade}_{thing}",
                "action",
                "Answer in a thread.",
                {
                    **of({"message": {"$ref": "#/definitions/message"}}, "message"),
                    "definitions": {
                        "message": of({"text": TEXT, "by": {"$ref": "#/definitions/person"}}, "text"),
                        "person": of({"name": TEXT, "last": {"$ref": "#/definitions/message"}}, "name"),
                    },
                },
                {"message": {"text": "Hi", "by": {"name": "Eva", "last": {"text": "Bye"}}}},
            )
        else:
            yield row(
                f"batch_{trade}_{thing}",
                "action",
                "Do this, and then the same with others.",
                of({"code": TEXT, "then": {"type": "array", "items": {"$ref": "#"}, "maxItems": 5}}, "code"),
                {"code": "a"},
                {"code": "a", "then": [{"code": "b", "then": [{"code": "c"}]}]},
            )


def references() -> Iterator[Row]:
    """Shared parts: plain, with words beside them, nested, by odd names, into other places."""
    for trade, thing, stages, pattern, code in TRADES:
        yield row(
            f"quote_{trade}_{thing}",
            "retrieval",
            "Say what it costs.",
            {
                **of(
                    {
                        "code": {"$ref": "#/$defs/code"},
                        "other": {"$ref": "#/$defs/code", "description": "Instead of the first."},
                        "price": {"$ref": "#/$defs/Money%20(net)"},
                        "limits": {"type": "array", "items": {"$ref": "#/$defs/range~1limit"}},
                        "same_as_price": {"$ref": "#/properties/price"},
                    },
                    "code",
                ),
                "$defs": {
                    "code": {"type": "string", "pattern": pattern},
                    "Money (net)": MONEY,
                    "range/limit": of({"stage": {"$ref": "#/$defs/stage"}, "most": {"$ref": "#/$defs/Money%20(net)"}}),
                    "stage": {"enum": stages},
                    "unused": {"type": "object"},
                },
            },
            {"code": code, "other": code},
            {
                "code": code,
                "price": {"amount": 1, "currency": "USD"},
                "same_as_price": {"amount": 2, "currency": "EUR"},
            },
            {"code": code, "limits": [{"stage": stages[0], "most": {"amount": 0.01, "currency": "CHF"}}, {}]},
        )


def combined() -> Iterator[Row]:
    """Parts that must all hold: inheritance, tightened limits, conditions."""
    for n, (trade, thing, stages, pattern, code) in enumerate(TRADES):
        base = of({"code": {"type": "string", "pattern": pattern}, "stage": {"enum": stages}}, "code")
        yield row(
            f"extend_{trade}_{thing}",
            "action",
            f"Make a {thing} last longer.",
            {
                **of(
                    {
                        "item": {
                            "allOf": [
                                {"$ref": "#/$defs/base"},
                                {"properties": {"days": {"type": "integer", "minimum": 1}}, "required": ["days"]},
                            ]
                        },
                        "hours": {
                            "allOf": [{"type": "number", "minimum": 0}, {"maximum": 24 + n}, {"description": "h"}]
                        },
                        "only": {"allOf": [{"$ref": "#/$defs/base"}]},
                    },
                    "item",
                ),
                "$defs": {"base": base},
            },
            {"item": {"code": code, "days": 3}},
            {"item": {"code": code, "days": 1, "stage": stages[0]}, "hours": 7.5, "only": {"code": code}},
        )
        yield row(
            f"pay_{trade}_{thing}",
            "action",
            f"Pay for a {thing}.",
            {
                **of({"amount": {"type": "number", "minimum": 0}}, "amount"),
                "oneOf": [
                    {
                        "properties": {"by": {"const": "card"}, "card": {"type": "string", "minLength": 12}},
                        "required": ["by", "card"],
                    },
                    {"properties": {"by": {"const": "iban"}, "iban": TEXT}, "required": ["by", "iban"]},
                ],
            }
            if n % 2
            else {
                **of({"amount": {"type": "number"}, "gift": {"type": "boolean"}, "greeting": TEXT}, "amount"),
                "allOf": [{"properties": {"amount": {"minimum": 1}}}],
                "if": {"properties": {"gift": {"const": True}}, "required": ["gift"]},
                "then": {"properties": {"wrap": {"enum": ["red", "blue"]}}, "required": ["greeting"]},
                "dependentRequired": {"greeting": ["gift"]},
                "dependentSchemas": {"gift": {"properties": {"to": TEXT}}},
            },
            *(
                [{"amount": 5, "by": "card", "card": "4111111111111111"}, {"amount": 5, "by": "iban", "iban": "AT61"}]
                if n % 2
                else [{"amount": 5}, {"amount": 1, "gift": True, "greeting": "Hi", "wrap": "red", "to": "Eva"}]
            ),
        )


def maps() -> Iterator[Row]:
    """Objects with free keys, keys by pattern, and nothing at all."""
    for trade, thing, stages, _, _ in TRADES:
        yield row(
            f"label_{trade}_{thing}",
            "action",
            f"Label a {thing}.",
            of(
                {
                    "labels": {"type": "object", "additionalProperties": TEXT, "maxProperties": 20},
                    "counts": {
                        "type": "object",
                        "patternProperties": {"^n_": {"type": "integer"}},
                        "additionalProperties": False,
                    },
                    "extra": {"type": "object"},
                    "mixed": of({"stage": {"enum": stages}}, additionalProperties={"type": ["number", "null"]}),
                    "empty": of({}, additionalProperties=False),
                    "anything": {},
                    "whatever": True,
                    "described": {"description": "Any JSON value."},
                }
            ),
            {"labels": {"colour": "red", "Größe": "XL", "$top": "1"}, "counts": {"n_a": 1}},
            {"extra": {"a": [1, {"b": None}]}, "mixed": {"stage": stages[0], "a": 1.5, "b": None}, "empty": {}},
            {"anything": {"a": 1}, "whatever": [1, "a"], "described": "x"},
            {"anything": None, "whatever": 1.5, "described": [True, [1]]},
        )


def names() -> Iterator[Row]:
    """Arguments that strangers named: OData, brackets, blanks, accents, other scripts, digits first, much too long."""
    odd = [
        "$top",
        "filter[status]",
        "First Name",
        "größe",
        "日付",
        "1st",
        "a.b",
        "x-request-id",
        "@type",
        "e-mail",
        "",
        ".",
    ]
    for n, (trade, thing, stages, _, _) in enumerate(TRADES):
        long = f"settings__approved__or__denied__{trade}__regions__of__every__{thing}__approved__list"
        pair = [odd[n % len(odd)], odd[(n + 5) % len(odd)]]
        inner = of({pair[1]: {"type": "integer"}, "plain": TEXT}, pair[1])
        yield row(
            f"import_{trade}_{thing}s",
            "action",
            f"Take {thing}s over from elsewhere.",
            {
                **of(
                    {
                        pair[0]: {"type": "string", "description": "As they call it."},
                        long: {"type": "array", "items": {"enum": stages}},
                        f"{long}_too": {"type": "boolean"},
                        "inner": inner,
                        "Name": TEXT,
                        "name": TEXT,
                        "type": {"type": "string"},
                        "properties": of({"required": TEXT, "$ref": TEXT}),
                        "self": {"$ref": "#/$defs/gr%C3%B6%C3%9Fe"},
                    },
                    pair[0],
                ),
                "dependentRequired": {long: [pair[0]]},
                "$defs": {"größe": of({pair[0]: TEXT, "übergröße": {"$ref": "#/$defs/gr%C3%B6%C3%9Fe"}})},
            },
            {pair[0]: "x"},
            {pair[0]: "x", long: [stages[0]], f"{long}_too": True, "inner": {pair[1]: 3, "plain": "a"}},
            {pair[0]: "x", "Name": "A", "name": "b", "type": "c", "properties": {"required": "d", "$ref": "e"}},
            {pair[0]: "ü", "self": {pair[0]: "y", "übergröße": {pair[0]: "z"}}},
        )


def callers() -> Iterator[Row]:
    """Tools that strangers named, as far as a definition may carry it to a dialect."""
    for name in (
        "crm.contacts.list",
        "größe_ändern",
        "3d-print",
        "a" * 90,
        "a" * 89 + "b",
        "search docs",
        "ns:tool/run",
    ):
        yield row(name, "retrieval", "Named elsewhere.", of({"q": TEXT}, "q"), {"q": "x"})


def unicode() -> Iterator[Row]:
    """Words in many scripts, in descriptions, enums, defaults and patterns."""
    words = [
        "Zürich",
        "東京",
        "Київ",
        "القاهرة",
        "São Paulo",
        "Ελλάδα",
        "תל אביב",
        "कोलकाता",
        "👩‍⚕️",
        "Ⅷ",
        "é",
        "e\u0301",
    ]
    for n, word in enumerate(words):
        yield row(
            f"translate_{n}",
            "utility",
            f"Übersetzt „{word}“ (auch mit Zeilen­umbruch).\nZweite Zeile.",
            of(
                {
                    "city": {"type": "string", "enum": [word, words[n - 1]], "description": f"Wo? {word}"},
                    "greeting": {"type": "string", "default": f"Hallo {word}!", "title": word},
                    "pattern": {"type": "string", "pattern": "^\\p{L}"},
                    "constant": {"const": word},
                },
                "city",
            ),
            {"city": word, "greeting": f"{word} \u2028 \"'\\", "constant": word},
            {"city": words[n - 1], "pattern": "äöü"},
        )


def formats() -> Iterator[Row]:
    """Every format that the house asserts, and some that it only notes."""
    samples = {
        "date": "2027-03-16",
        "date-time": "2027-03-16T10:00:00Z",
        "time": "10:00:00Z",
        "duration": "PT30M",
        "email": "eva@example.com",
        "idn-email": "eva@exämple.com",
        "hostname": "example.com",
        "idn-hostname": "exämple.com",
        "ipv4": "192.0.2.1",
        "ipv6": "2001:db8::1",
        "uri": "https://example.com/a?b=c",
        "uri-reference": "../a",
        "iri": "https://exämple.com/ä",
        "uri-template": "/a/{id}",
        "uuid": AN_ID,
        "regex": "^a+$",
        "json-pointer": "/a/0",
    }
    for name, sample in samples.items():
        yield row(
            f"check_{name.replace('-', '_')}",
            "utility",
            f"Check a {name}.",
            of(
                {
                    "value": {"type": "string", "format": name},
                    "others": {"type": "array", "items": {"type": "string", "format": name}},
                },
                "value",
            ),
            {"value": sample, "others": [sample]},
            {"value": sample},
        )
    for name, kind, value in (
        ("int32", "integer", 5),
        ("int64", "integer", 2**40),
        ("double", "number", 0.5),
        ("float", "number", 2),
    ):
        yield row(f"count_{name}", "utility", "Count.", of({"n": {"type": kind, "format": name}}, "n"), {"n": value})


def large() -> Iterator[Row]:
    """Hundreds of properties, words and levels, as generated clients have them."""
    for size in (50, 120, 200, 300, 400):
        properties = {
            f"field_{n:03}": (
                {"type": "string", "maxLength": n + 1},
                {"type": "integer", "minimum": n},
                {"type": ["number", "null"]},
                {"type": "boolean", "default": False},
                {"type": "array", "items": {"type": "string"}},
            )[n % 5]
            for n in range(size)
        }
        few = {"field_000": "a", "field_001": 1, "field_002": None, "field_003": True, "field_004": ["x"]}
        yield row(
            f"save_{size}_fields", "action", "Save a wide record.", of(properties, "field_000"), few, {"field_000": "b"}
        )
        yield row(
            f"pick_of_{size}_words",
            "retrieval",
            "Pick.",
            of(
                {
                    "word": {"type": "string", "enum": [f"word {n}" for n in range(size)]},
                    "code": {"enum": list(range(size))},
                }
            ),
            {"word": "word 7", "code": 3},
        )
    for depth in (4, 6, 8, 9, 12):
        inner: Row = of({"leaf": {"type": "string", "minLength": 1}}, "leaf")
        value: Row = {"leaf": "x"}
        for level in range(depth - 2):
            inner = of({f"level_{level}": inner, "beside": {"type": "boolean"}}, f"level_{level}")
            value = {f"level_{level}": value}
        yield row(f"dig_{depth}_deep", "retrieval", "Dig.", of({"top": inner}, "top"), {"top": value})


def written_elsewhere() -> Iterator[Row]:
    """As Pydantic, Zod, OpenAPI and MCP servers write them: titles, `$schema`, `x-` words, repeated defaults."""
    for n, (trade, thing, stages, _, _) in enumerate(TRADES):
        styles: list[Row] = [
            {
                "title": f"{thing.title()}Args",
                **of(
                    {
                        "page": {"title": "Page", "type": "integer", "default": 1, "minimum": 1},
                        "stage": {"anyOf": [{"$ref": "#/$defs/Stage"}, {"type": "null"}], "default": None},
                        "since": {
                            "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
                            "default": None,
                            "title": "Since",
                        },
                    }
                ),
                "$defs": {"Stage": {"enum": stages, "title": "Stage", "type": "string"}},
            },
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                **of(
                    {
                        "page": {"type": "integer", "exclusiveMinimum": 0, "maximum": 9007199254740991},
                        "stage": {"type": "string", "enum": stages},
                        "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                    },
                    additionalProperties=False,
                ),
            },
            of(
                {
                    "page": {
                        "type": "integer",
                        "format": "int32",
                        "minimum": 1,
                        "x-go-name": "Page",
                        "examples": [1, 2],
                    },
                    "stage": {"type": "string", "enum": stages, "x-enumNames": stages, "deprecated": True},
                    "since": {"type": ["string", "null"], "format": "date", "readOnly": False},
                }
            ),
            of(
                {
                    "page": {"type": "number", "multipleOf": 1, "description": "Page number  "},
                    "stage": {"oneOf": [{"const": stage, "title": stage.title()} for stage in stages]},
                    "since": {"oneOf": [{"type": "string", "format": "date"}, {"type": "null"}], "$comment": "zod"},
                },
                minProperties=1,
            ),
        ]
        for style in range(2):
            yield row(
                f"list_{trade}_{thing}s_{style + 1}",
                "retrieval",
                f"List {thing}s, page by page.",
                styles[(n + style * 2) % 4],
                {"page": 2, "stage": stages[0]},
                {"page": 1, "since": None},
                {"page": 1, "since": "2027-01-01"},
            )


def wordy() -> Iterator[Row]:
    """Real tools of single trades, each as its vendor would write it."""
    yield row("get_time", "utility", "What time is it?", {}, {}, {})
    yield row("ping", "utility", "Is anybody there?", of({}, additionalProperties=False), {})
    yield row(
        "check_table",
        "retrieval",
        "Whether a table is free.",
        of(
            {
                "party_size": {"type": "integer", "minimum": 1, "maximum": 12},
                "at": MOMENT,
                "terrace": {"type": "boolean"},
            },
            "party_size",
            "at",
        ),
        {"party_size": 4, "at": "2027-03-16T19:30:00+01:00"},
    )
    yield row(
        "prescribe",
        "action",
        "Ask for a repeat prescription.",
        of(
            {
                "medicine": of(
                    {"atc": {"type": "string", "pattern": "^[A-Z][0-9]{2}[A-Z]{2}[0-9]{2}$"}, "name": TEXT}, "name"
                ),
                "doses": {
                    "type": "array",
                    "items": of(
                        {
                            "hour": {"type": "integer", "minimum": 0, "maximum": 23},
                            "mg": {"type": "number", "exclusiveMinimum": 0},
                        },
                        "hour",
                        "mg",
                    ),
                    "minItems": 1,
                },
                "allergies": {"type": "array", "items": TEXT, "uniqueItems": True},
            },
            "medicine",
            "doses",
        ),
        {
            "medicine": {"atc": "N02BE01", "name": "Paracetamol"},
            "doses": [{"hour": 8, "mg": 500}, {"hour": 20, "mg": 250.5}],
        },
    )
    yield row(
        "draw_geojson",
        "action",
        "Mark an area.",
        of(
            {
                "geometry": {
                    "oneOf": [
                        of(
                            {
                                "type": {"const": "Point"},
                                "coordinates": {"type": "array", "items": {"type": "number"}, "minItems": 2},
                            },
                            "type",
                            "coordinates",
                        ),
                        of(
                            {
                                "type": {"const": "Polygon"},
                                "coordinates": {
                                    "type": "array",
                                    "items": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
                                },
                            },
                            "type",
                            "coordinates",
                        ),
                    ]
                }
            },
            "geometry",
        ),
        {"geometry": {"type": "Point", "coordinates": [16.37, 48.2]}},
        {"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}},
    )
    yield row(
        "store_json",
        "action",
        "Keep any JSON value.",
        {
            **of({"value": {"$ref": "#/$defs/json"}}, "value"),
            "$defs": {
                "json": {
                    "anyOf": [
                        {"type": ["string", "number", "boolean", "null"]},
                        {"type": "array", "items": {"$ref": "#/$defs/json"}},
                        {"type": "object", "additionalProperties": {"$ref": "#/$defs/json"}},
                    ]
                }
            },
        },
        {"value": "a"},
        {"value": {"a": [1, None, {"b": True}]}},
    )


FAMILIES: dict[str, Family] = {
    family.__name__: family
    for family in (
        flat,
        nested,
        unions,
        enums,
        nullables,
        arrays,
        recursive,
        references,
        combined,
        maps,
        names,
        callers,
    )
} | {family.__name__: family for family in (unicode, formats, large, written_elsewhere, wordy)}


def text_of(family: str) -> str:
    """Return a family's file: one definition a line."""
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in FAMILIES[family]()) + "\n]\n"


def write() -> None:
    CORPUS.mkdir(exist_ok=True)
    for family in FAMILIES:
        (CORPUS / f"{family}.json").write_text(text_of(family), encoding="utf-8")


if __name__ == "__main__":
    write()
