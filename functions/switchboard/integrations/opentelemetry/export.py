"""Traces and metrics on their way to a collector: in batches, behind the calls, and never waited for by one.

Endpoint and name come from the configuration; headers, sampler and further attributes are OpenTelemetry's
own variables (`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`, `OTEL_RESOURCE_ATTRIBUTES`), which its SDK reads.
"""

import asyncio
import logging
import time
import uuid

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from switchboard.contract.observability.metric import Measurements
from switchboard.integrations.opentelemetry.metrics import metrics_data
from switchboard.integrations.opentelemetry.spans import RecordingTracer

log = logging.getLogger(__name__)

METRICS_EVERY_S = 60.0
# Instances that die within a minute are to be counted, too; the first request goes before.
METRICS_FIRST_AFTER_S = 0.5
_SPANS_EVERY_MS = 2_000
_ANSWERS_WITHIN_S = 3.0


class Export:
    """Sends what is recorded to one collector.

    Attributes:
        tracer: Begins the traces that are sent.
    """

    def __init__(self, endpoint: str, service: str, version: str, measured: Measurements) -> None:
        """Connect nowhere yet.

        Args:
            endpoint: The collector's base address, without a slash at the end.
            service: The name under which this deployment is shown.
            version: Its version; may be empty.
            measured: Gives what was measured.
        """
        named = {SERVICE_NAME: service, SERVICE_VERSION: version, SERVICE_INSTANCE_ID: uuid.uuid4().hex}
        self._resource = Resource.create({name: value for name, value in named.items() if value})
        self._measured, self._started_ns = measured, time.time_ns()
        self._provider = TracerProvider(resource=self._resource)
        spans = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=_ANSWERS_WITHIN_S)
        self._provider.add_span_processor(BatchSpanProcessor(spans, schedule_delay_millis=_SPANS_EVERY_MS))
        self._metrics = OTLPMetricExporter(f"{endpoint}/v1/metrics", timeout=_ANSWERS_WITHIN_S)
        self.tracer = RecordingTracer(self._provider)
        self._shipping: asyncio.Task[None] | None = None

    def begin(self, every_s: float = METRICS_EVERY_S) -> None:
        """Send metrics soon and then every so many seconds, on the running loop; asked twice, do nothing."""
        if self._shipping is None or self._shipping.get_loop() is not asyncio.get_running_loop():
            self._shipping = asyncio.create_task(self._ship(every_s))

    async def ship(self) -> None:
        """Send the metrics as they are now. Never raises: what is lost is contained in what is sent next."""
        data = metrics_data(self._measured(), self._resource, self._started_ns, time.time_ns())
        sent = await asyncio.to_thread(self._metrics.export, data)
        if sent is not MetricExportResult.SUCCESS:
            log.warning("metrics not exported")

    async def close(self) -> None:
        """Send what is left, and send nothing any more."""
        if self._shipping is not None:
            self._shipping.cancel()
        await self.ship()
        await asyncio.to_thread(self._provider.shutdown)

    async def _ship(self, every_s: float) -> None:
        await asyncio.sleep(min(METRICS_FIRST_AFTER_S, every_s))
        while True:
            await self.ship()
            await asyncio.sleep(every_s)
