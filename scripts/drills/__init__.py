"""Drills: outages, crashes, repeated deliveries and hostile input, made on purpose against a running server."""
