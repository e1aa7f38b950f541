"""Tool calls put together from the fragments in which a model streams them."""

from dataclasses import dataclass, field

from switchboard.contract.call import ToolCall
from switchboard.contract.model import CallPiece


@dataclass(slots=True)
class _Unfinished:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class CallAssembler:
    """The calls of one answer. `prefix` makes ids for vendors that have none, and tells repeated ones apart."""

    def __init__(self, prefix: str) -> None:
        """Start without any."""
        self._prefix = prefix
        self._unfinished: dict[int, _Unfinished] = {}

    def add(self, piece: CallPiece) -> None:
        """Take one fragment; id and name count where they first appear."""
        call = self._unfinished.setdefault(piece.index, _Unfinished())
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        if piece.arguments:
            call.arguments.append(piece.arguments)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that are called so far."""
        return tuple(call.name for call in self._unfinished.values())

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order in which they began, each with an id of its own."""
        ids: set[str] = set()
        found = []
        for index, call in self._unfinished.items():
            id = call.id if call.id and call.id not in ids else f"call_{self._prefix}_{index}"
            ids.add(id)
            # A call without arguments comes as "" from some servers.
            found.append(ToolCall(call.name, "".join(call.arguments) or "{}", id))
        return tuple(found)
