"""Field values as Firestore's messages, and back.

What is encoded has been checked by `state.validation`; what is decoded may be anything that somebody stored.
"""

from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.cloud.firestore_v1.types import document as document_types

from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document, GeoPoint, Invalid, Reference, Vector
from switchboard.state.value import is_elsewhere, split_path

Message: TypeAlias = Any
"""A protobuf message as the runtime knows it, without the wrapper that google-cloud-firestore puts around each."""

DocumentMessage = document_types.Document.pb()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AS_THEY_ARE = frozenset({"string_value", "integer_value", "boolean_value", "double_value", "bytes_value"})
_TYPE, _VECTOR, _NUMBERS = "__type__", "__vector__", "value"


class ValueCodec:
    """Encodes and decodes the values of one database."""

    def __init__(self, database: str) -> None:
        """`database` is its whole name, `projects/{project}/databases/{database}`."""
        self._prefix = f"{database}/documents/"

    def name(self, path: str) -> str:
        """Return the whole name of a document."""
        return self._prefix + path

    def encode(self, message: Message, value: Any) -> None:
        """Write a checked value that holds no instructions into a `Value`."""
        # By exact type, which checked values have, and the most frequent first.
        kind = type(value)
        if kind is str:
            message.string_value = value
        elif kind is bool:
            message.boolean_value = value
        elif kind is int:
            message.integer_value = value
        elif kind is dict:
            message.map_value.SetInParent()
            self.encode_fields(message.map_value.fields, value)
        elif kind is datetime:
            encode_time(message.timestamp_value, value)
        elif value is None:
            message.null_value = 0
        elif kind is float:
            message.double_value = value
        elif kind is list:
            message.array_value.SetInParent()
            add = message.array_value.values.add
            for item in value:
                self.encode(add(), item)
        else:
            self._encode_rarity(message, value)

    def encode_fields(self, messages: Message, fields: JsonObject) -> None:
        """Write checked fields into a map of `Value`s."""
        encode = self.encode
        for name, value in fields.items():
            encode(messages[name], value)

    def _encode_rarity(self, message: Message, value: Any) -> None:
        match value:
            case bytes():
                message.bytes_value = value
            case Vector(values):
                # Firestore has no message for a vector: it is a map of this form.
                fields = message.map_value.fields
                fields[_TYPE].string_value = _VECTOR
                add = fields[_NUMBERS].array_value.values.add
                for number in values:
                    add().double_value = number
            case GeoPoint(latitude, longitude):
                message.geo_point_value.latitude, message.geo_point_value.longitude = latitude, longitude
                # Nought is a default, and one that holds nothing but defaults would not be sent.
                message.geo_point_value.SetInParent()
            case Reference(path):
                message.reference_value = path if is_elsewhere(path) else self._prefix + path
            # Subclasses, such as enumerations' members, other libraries' numbers, and times to the nanosecond.
            case int():
                message.integer_value = value
            case float():
                message.double_value = value
            case datetime():
                encode_time(message.timestamp_value, value)
            case _:
                raise Invalid(f"values of type {type(value).__name__} cannot be stored")

    def decode(self, message: Message) -> Any:
        """Return what a `Value` holds.

        Raises:
            Invalid: It is of a kind that Firestore did not have when this was written.
        """
        kind = message.WhichOneof("value_type")
        if kind in _AS_THEY_ARE:
            return getattr(message, kind)
        match kind:
            case "map_value":
                fields = message.map_value.fields
                if _TYPE in fields and fields[_TYPE].string_value == _VECTOR:
                    return Vector(tuple(map(self.decode, fields[_NUMBERS].array_value.values)))
                return self.decode_fields(fields)
            case "array_value":
                return list(map(self.decode, message.array_value.values))
            case "timestamp_value":
                stamp = message.timestamp_value
                return _EPOCH + timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)
            case "null_value":
                return None
            case "geo_point_value":
                return GeoPoint(message.geo_point_value.latitude, message.geo_point_value.longitude)
            case "reference_value":
                return self._reference(message.reference_value)
        raise Invalid(f"a stored value is of a kind that is not known here: {kind or 'a newer one'}")

    def decode_fields(self, messages: Message) -> JsonObject:
        """Return the fields that a map of `Value`s holds."""
        decode = self.decode
        return {name: decode(message) for name, message in messages.items()}

    def decode_document(self, message: Message) -> Document:
        """Return what a `Document` says."""
        return Document(
            message.name.removeprefix(self._prefix),
            self.decode_fields(message.fields),
            decode_time(message.update_time),
            decode_time(message.create_time),
        )

    def _reference(self, name: str) -> Reference:
        path = name.removeprefix(self._prefix)
        # One that is shaped like a whole name is not ours to shorten: it would be read as that of another database.
        return Reference(name if is_elsewhere(path) else path)


def encode_time(message: Message, time: datetime) -> None:
    """Write a time into a `Timestamp`."""
    since = time - _EPOCH
    message.seconds = since.days * 86_400 + since.seconds
    message.nanos = time.nanosecond if isinstance(time, DatetimeWithNanoseconds) else since.microseconds * 1000
    # The epoch itself is nothing but defaults.
    message.SetInParent()


def decode_time(message: Message) -> datetime:
    """Return the time at which a document changed, to the nanosecond: a write may be conditioned on it."""
    if message.nanos % 1000:
        exact: datetime = DatetimeWithNanoseconds.from_timestamp_pb(message)  # type: ignore[no-untyped-call]
        return exact
    return _EPOCH + timedelta(seconds=message.seconds, microseconds=message.nanos // 1000)


def field_path(names: tuple[str, ...]) -> str:
    """Return a path as Firestore spells it, which quotes names that are no plain words."""
    # Nothing is cached: half of the names are of one call, and would push the others out.
    return ".".join(map(_spelled, names))


def _spelled(name: str) -> str:
    if name.isascii() and name.isidentifier():
        return name
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def quoted(dotted: str) -> str:
    """Return a dotted path of ours as Firestore spells it."""
    return field_path(split_path(dotted))
