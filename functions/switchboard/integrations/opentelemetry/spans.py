"""Spans as OpenTelemetry's SDK records them."""

from collections.abc import Mapping

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    format_span_id,
    format_trace_id,
    set_span_in_context,
)
from opentelemetry.trace import Span as VendorSpan
from opentelemetry.trace import SpanKind as VendorKind
from opentelemetry.trace import Tracer as VendorTracer

from switchboard.contract.observability.trace import Elsewhere, SpanKind, SpanValue

SCOPE = "switchboard"
_KINDS = {
    SpanKind.INTERNAL: VendorKind.INTERNAL,
    SpanKind.SERVER: VendorKind.SERVER,
    SpanKind.CLIENT: VendorKind.CLIENT,
}


class RecordedSpan:
    """One step, recorded as far as it is sampled."""

    def __init__(self, tracer: VendorTracer, span: VendorSpan) -> None:
        """Wrap the SDK's span."""
        self._tracer, self._span = tracer, span
        context = span.get_span_context()
        self.trace_id, self.span_id = format_trace_id(context.trace_id), format_span_id(context.span_id)
        self.is_sampled = context.trace_flags.sampled
        self.is_recorded = span.is_recording()

    def child(self, name: str, kind: SpanKind, fields: Mapping[str, SpanValue]) -> "RecordedSpan":
        """Begin a step within this one."""
        return _begun(self._tracer, name, _KINDS[kind], fields, set_span_in_context(self._span, Context()))

    def rename(self, name: str) -> None:
        """Give it another name."""
        if self._span.is_recording():
            self._span.update_name(name)

    def note(self, name: str, value: SpanValue) -> None:
        """Say something of it, unless it has ended."""
        if self._span.is_recording():
            self._span.set_attribute(name, value)

    def end(self, error_type: str | None = None) -> None:
        """End it; only the first end counts."""
        if not self._span.is_recording():
            return
        if error_type is not None:
            self._span.set_attribute("error.type", error_type)
            # Without a description: what errors say may be of people.
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


class RecordingTracer:
    """Begins traces that are recorded, or goes on with the caller's."""

    def __init__(self, provider: TracerProvider) -> None:
        """Record with the provider's sampler and processors."""
        self._tracer = provider.get_tracer(SCOPE)

    def begin(self, name: str, remote: Elsewhere | None, fields: Mapping[str, SpanValue]) -> RecordedSpan:
        """Begin the step that a request is."""
        context = Context()
        if remote is not None:
            flags = TraceFlags(TraceFlags.SAMPLED if remote.is_sampled else TraceFlags.DEFAULT)
            parent = SpanContext(int(remote.trace_id, 16), int(remote.span_id, 16), is_remote=True, trace_flags=flags)
            context = set_span_in_context(NonRecordingSpan(parent), context)
        return _begun(self._tracer, name, VendorKind.SERVER, fields, context)


def _begun(
    tracer: VendorTracer, name: str, kind: VendorKind, fields: Mapping[str, SpanValue], context: Context
) -> RecordedSpan:
    return RecordedSpan(tracer, tracer.start_span(name, context, kind, dict(fields)))
