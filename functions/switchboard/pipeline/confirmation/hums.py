"""What people hum while they listen: it may be a yes, and may be nothing."""

from switchboard.pipeline.confirmation.consent import plain_words

_HUMS = frozenset(
    plain_words(
        """m mm mmm mh mhm mhmm mmhm mmhmm hm hmm hmhm hmmhm uh huh uhhuh uhu uhuh uhum ahum ehm aham aha ajá ahá hum
        humhum mhmh"""
    )
)


def is_hum(text: str) -> bool:
    """Tell whether an answer is a hum and nothing else, in whatever spelling a recogniser gives it."""
    words = plain_words(text)
    return bool(words) and _HUMS.issuperset(words)
