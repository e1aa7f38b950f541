"""Which paths Firestore takes, for documents and for collections."""

import re
from functools import lru_cache

from switchboard.contract.store import Invalid
from switchboard.state import field_path

_MAX_ID_BYTES = 1500
_RESERVED_ID = re.compile(r"\.{1,2}|__.*__", re.DOTALL)


@lru_cache(maxsize=4096)
def check_document_path(path: str) -> None:
    """Refuse what is not the path of a document."""
    if len(_ids(path)) % 2:
        raise Invalid(f"the path of a document has an even number of parts: {path[:200]!r}")


@lru_cache(maxsize=4096)
def check_collection_path(path: str) -> None:
    """Refuse what is not the path of a collection."""
    if not len(_ids(path)) % 2:
        raise Invalid(f"the path of a collection has an odd number of parts: {path[:200]!r}")


def _ids(path: str) -> list[str]:
    if not isinstance(path, str):
        raise Invalid(f"a path must be text, not {type(path).__name__}")
    ids = path.split("/")
    for id in ids:
        if not id or _RESERVED_ID.fullmatch(id) or field_path.utf8_length(id) > _MAX_ID_BYTES:
            raise Invalid(f"Firestore does not take {id[:40]!r} as a part of a path: {path[:200]!r}")
    return ids
