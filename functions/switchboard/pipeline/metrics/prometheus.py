"""Metrics as Prometheus reads them: its text format, version 0.0.4.

Written by hand: the vendor's client costs ten times as much per call as the meter does.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from switchboard.contract.observability.metric import Distribution, Family, Quantiles, Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_LABEL_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_HELP_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n"})


def exposition(families: Iterable[Family]) -> str:
    """Return these metrics as text."""
    return "".join(f"{line}\n" for found in families for line in _lines(found))


def sample(name: str, value: float, labels: Mapping[str, str] | None = None) -> str:
    """Return the line of one value; label values may be any text."""
    inside = ",".join(f'{key}="{text.translate(_LABEL_ESCAPES)}"' for key, text in (labels or {}).items())
    return f"{name}{{{inside}}} {value}" if inside else f"{name} {value}"


def family(name: str, type: str, help: str) -> tuple[str, str]:
    """Return the two lines that stand before a metric's values."""
    return f"# HELP {name} {help.translate(_HELP_ESCAPES)}", f"# TYPE {name} {type}"


def _lines(found: Family) -> Iterator[str]:
    yield from family(found.name, found.type, found.help)
    for value in found.values:
        if isinstance(value, Sample):
            yield sample(found.name, value.value, value.labels)
        elif isinstance(value, Quantiles):
            yield from _quantiles(found.name, value)
        else:
            yield from _distribution(found.name, value)


def _quantiles(name: str, found: Quantiles) -> Iterator[str]:
    for quantile, value in found.points.items():
        yield sample(name, value, {**found.labels, "quantile": quantile})
    yield sample(f"{name}_sum", found.sum, found.labels)
    yield sample(f"{name}_count", found.count, found.labels)


def _distribution(name: str, found: Distribution) -> Iterator[str]:
    *bounded, count = accumulate(found.counts)
    for bound, below in zip(found.bounds, bounded, strict=True):
        yield sample(f"{name}_bucket", below, {**found.labels, "le": str(bound)})
    yield sample(f"{name}_bucket", count, {**found.labels, "le": "+Inf"})
    yield sample(f"{name}_sum", found.sum, found.labels)
    yield sample(f"{name}_count", count, found.labels)
