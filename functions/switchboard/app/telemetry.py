"""What this deployment tells of itself: its log, its traces, its metrics; each only as far as the configuration asks.

Without a collector nothing of OpenTelemetry is imported: a request then costs one look at a context variable.
"""

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from starlette.types import ASGIApp

from switchboard.app import logging
from switchboard.app.plain_log import install_plain
from switchboard.channels.http.tracing import Traced
from switchboard.contract.observability.trace import Untraced
from switchboard.contract.python.dataclass import dataclass

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from switchboard.contract.observability.metric import Measurements
    from switchboard.integrations.opentelemetry.export import Export


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """What is to be told, and to whom.

    Attributes:
        project: The Google Cloud project that log lines name as the traces' own.
        log: `json` for Cloud Logging's fields, `plain` for lines that people read.
        personal: Whether the log has what may be personal, under `pii`.
        collector: The base address of an OTLP collector, without a slash at the end; empty for none.
        service: The name under which traces and metrics are shown.
        version: The deployment's version; may be empty.
    """

    project: str
    log: Literal["json", "plain"] = "plain"
    personal: bool = True
    collector: str = ""
    service: str = "switchboard"
    version: str = ""


class Telemetry:
    """Tells it."""

    def __init__(self, telling: TelemetrySettings, measured: "Measurements") -> None:
        """Begin with the log, so that whatever goes wrong later is told; `measured` is asked when metrics are sent."""
        self._telling, self._measured = telling, measured
        if telling.log == "json":
            logging.install(telling.project, telling.personal)
        else:
            install_plain(telling.personal)

    @cached_property
    def export(self) -> "Export | None":
        """What sends traces and metrics, where there is a collector."""
        own = self._telling
        if not own.collector:
            return None
        from switchboard.integrations.opentelemetry.export import Export

        return Export(own.collector, own.service, own.version, self._measured)

    def begin(self) -> None:
        """Send metrics from now on, on the running loop; for servers that start before anybody asks them anything."""
        if self.export is not None:
            self.export.begin()

    def served(self, app: ASGIApp) -> ASGIApp:
        """Return an app whose requests are traced as far as anybody is told; in the log each has its trace."""
        if not self._telling.collector:
            return Traced(app, Untraced())
        export = self.export
        assert export is not None
        traced = Traced(app, export.tracer)

        async def exporting(scope: "Scope", receive: "Receive", send: "Send") -> None:
            # Where servers know no lifespan, this is the first that is heard of the loop.
            export.begin()
            await traced(scope, receive, send)

        return exporting

    async def close(self) -> None:
        """Send what is left."""
        if "export" in self.__dict__ and self.export is not None:
            await self.export.close()
        sys.stdout.flush()
