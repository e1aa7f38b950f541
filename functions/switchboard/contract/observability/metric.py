"""What metrics have in common, whoever measures them.

Names are those of Prometheus, unit at the end. Labels name tools, channels, models, integrations and types of errors,
never a business and never a person.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from prometheus_client import Metric

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds for what takes a network's time."""

Measurements: TypeAlias = "Callable[[], Iterable[Metric]]"
"""Gives what has been measured, when it is asked for: a registry's `collect`."""
