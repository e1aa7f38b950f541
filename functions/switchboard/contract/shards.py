"""Into how many parts an index is split whose entries would otherwise all be written at its one end, that of now.

Firestore takes some 500 writes a second into a stretch of an index that grows at one end, which is what moments do. A
number in front of them makes as many stretches of it; whoever looks for what is due asks for several at once.
https://firebase.google.com/docs/firestore/solutions/shard-timestamp
"""

from typing import Final
from zlib import crc32

SHARD: Final = "shard"
"""The field in front."""
SHARDS: Final = 16

# Firestore multiplies the lists of a query, and takes 30 alternatives: a list of two states may stand beside these.
SHARDS_AT_ONCE: Final = (tuple(range(SHARDS // 2)), tuple(range(SHARDS // 2, SHARDS)))
"""All of them, in as many queries."""


def shard_of(*names: str) -> int:
    """Return the shard of a document that these names tell apart from others; the same wherever it is asked."""
    return crc32("/".join(names).encode("utf-8", "surrogatepass")) % SHARDS
