"""Questions that callers often ask, with the business's answers, by topic (seed 000, `get_faqs`)."""

from switchboard.contract.ports import Clock, Store
from switchboard.desk.knowledge.chunk import faq_passages
from switchboard.desk.knowledge.topics import Topics

_CLOSEST = 3
_MOST_FAQS = 500


class Faqs(Topics):
    """Finds FAQs by their topic, else by their tags."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Read from `store`, once for everybody who asks within a second."""
        super().__init__(store, clock, "faqs", faq_passages, lambda p: p.labels, _CLOSEST, _MOST_FAQS)
