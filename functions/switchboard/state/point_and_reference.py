"""Points on earth and references to documents: which ones the store takes, how they are compared and measured.

Nothing of ours is kept as one; owners keep them in their own collections.
"""

import re

from switchboard.contract.store import GeoPoint, Invalid, Reference
from switchboard.state.document_path import check_document_path
from switchboard.state.field_path import utf8_length

_ELSEWHERE = re.compile(r"projects/[^/]+/databases/[^/]+/documents/(.+)", re.DOTALL)


def checked_point(point: GeoPoint) -> GeoPoint:
    """Return a point made of plain floats; refuse one that lies nowhere on earth."""
    degrees = (point.latitude, point.longitude)
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in degrees):
        raise Invalid("a point is made of two numbers")
    latitude, longitude = degrees
    # Written so that what is no number is refused as well.
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise Invalid("a point lies between the latitudes -90 and 90 and the longitudes -180 and 180")
    return GeoPoint(float(latitude), float(longitude))


def checked_reference(reference: Reference) -> Reference:
    """Return a reference; refuse one that names no document."""
    if not isinstance(reference.path, str):
        raise Invalid(f"a reference is the path of a document, not {type(reference.path).__name__}")
    elsewhere = _ELSEWHERE.fullmatch(reference.path)
    check_document_path(elsewhere[1] if elsewhere else reference.path)
    return reference


def is_elsewhere(path: str) -> bool:
    """Whether a reference's path names its database too."""
    return _ELSEWHERE.fullmatch(path) is not None


def point_key(point: GeoPoint) -> tuple[float, float]:
    """Return what a point is ordered by."""
    return point.latitude, point.longitude


def reference_key(reference: Reference) -> tuple[bool, tuple[str, ...]]:
    """Return what a reference is ordered by: part by part, those into other databases last."""
    return is_elsewhere(reference.path), tuple(reference.path.split("/"))


def reference_size(reference: Reference) -> int:
    """Return how many bytes a reference counts for."""
    return 16 + utf8_length(reference.path) + 1
