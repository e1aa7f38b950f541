"""Writes as Firestore's messages, and what came of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

from switchboard.contract.json import JsonObject
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    Create,
    Delete,
    Increment,
    Set,
    Update,
    Write,
    WriteResult,
)
from switchboard.state.firestore.values import Message, ValueCodec, decode_time, encode_time, field_path
from switchboard.state.value import is_special, joined_path, split_path

_REQUEST_TIME = 1
_FieldPath: TypeAlias = tuple[str, ...]
Transforms: TypeAlias = list[tuple[_FieldPath, Any]]
"""Instructions, each with the field it is carried out on, in the order in which their results come back."""


def encode_write(message: Message, write: Write, codec: ValueCodec) -> Transforms:
    """Write a checked write into a `Write`, and return the instructions in it."""
    if isinstance(write, Delete):
        message.delete = codec.name(write.path)
        if write.must_exist:
            message.current_document.exists = True
        _require_unchanged(message, write.if_update_time)
        return []
    message.update.name = codec.name(write.path)
    mask: list[_FieldPath] | None = None
    data = write.data
    match write:
        case Create():
            message.current_document.exists = False
        case Set(merge=True):
            mask = []
        case Update():
            message.current_document.exists = True
            _require_unchanged(message, write.if_update_time)
            data = _nested(write.data)
    encoder = _FieldEncoder(codec, mask)
    encoder.encode(message.update.fields, data, ())
    if isinstance(write, Update):
        # A map given here replaces the one that is there, so it is named as a whole.
        mask = [split_path(dotted) for dotted, value in write.data.items() if not is_special(value)]
    if mask is not None:
        # Without any path it still says that nothing else of the document is to change.
        message.update_mask.SetInParent()
        message.update_mask.field_paths.extend(map(field_path, mask))
    for path, instruction in encoder.transforms:
        _encode_transform(message.update_transforms.add(), path, instruction, codec)
    return encoder.transforms


def decode_results(
    writes: Sequence[Write], transforms: Sequence[Transforms], response: Message, codec: ValueCodec
) -> list[WriteResult]:
    """Return what a `CommitResponse` says about each write, given the instructions that were in it."""
    return [
        WriteResult(decode_time(response.commit_time))
        if isinstance(write, Delete)
        else WriteResult(
            decode_time(result.update_time),
            {
                joined_path(path): codec.decode(value)
                for (path, instruction), value in zip(of_write, result.transform_results, strict=True)
                if type(instruction) is Increment
            },
        )
        for write, of_write, result in zip(writes, transforms, response.write_results, strict=True)
    ]


class _FieldEncoder:
    """Parts a write's data into what is stored as it is and what Firestore is instructed to do."""

    def __init__(self, codec: ValueCodec, mask: list[_FieldPath] | None) -> None:
        """A mask is filled with the places where something is stored or deleted."""
        self._encode = codec.encode
        self._mask = mask
        self.transforms: Transforms = []

    def encode(self, messages: Message, fields: JsonObject, place: _FieldPath) -> None:
        """Write the fields of a map at a place of the document; a map of nothing but instructions is left out."""
        for name, value in fields.items():
            kind = type(value)
            if kind is dict and value:
                inner = messages[name].map_value.fields
                self.encode(inner, value, (*place, name))
                if not inner:
                    del messages[name]
            elif kind is Increment or kind is ArrayUnion or value is SERVER_TIME:
                self.transforms.append(((*place, name), value))
            else:
                if self._mask is not None:
                    self._mask.append((*place, name))
                if value is not DELETE_FIELD:
                    self._encode(messages[name], value)


def _nested(changes: JsonObject) -> JsonObject:
    """Return the changes of an update as the document they are part of, without the fields that are deleted."""
    fields: JsonObject = {}
    for dotted, value in changes.items():
        if value is DELETE_FIELD:
            continue
        *way, last = split_path(dotted)
        place = fields
        for name in way:
            place = place.setdefault(name, {})
        place[last] = value
    return fields


def _require_unchanged(message: Message, since: datetime | None) -> None:
    if since is not None:
        # It replaces a condition that the document exists, which it implies.
        encode_time(message.current_document.update_time, since)


def _encode_transform(message: Message, path: _FieldPath, instruction: Any, codec: ValueCodec) -> None:
    message.field_path = field_path(path)
    if instruction is SERVER_TIME:
        message.set_to_server_value = _REQUEST_TIME
    elif type(instruction) is Increment:
        codec.encode(message.increment, instruction.by)
    else:
        for value in instruction.values:
            codec.encode(message.append_missing_elements.values.add(), value)
