"""OpenTelemetry: traces and metrics for a collector, by OTLP over HTTP."""
