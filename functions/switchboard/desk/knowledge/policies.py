"""What the business decided about cancellations, deposits and the like, by topic (seed 000, `get_policies`)."""

from switchboard.contract.ports import Clock, Store
from switchboard.desk.knowledge.chunk import policy_passages
from switchboard.desk.knowledge.topics import Topics

_CLOSEST = 2
_MOST_POLICIES = 200


class Policies(Topics):
    """Finds policies by topic."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, once for everybody who asks within a second."""
        super().__init__(store, clock, "policies", policy_passages, lambda p: (p.title,), _CLOSEST, _MOST_POLICIES)
