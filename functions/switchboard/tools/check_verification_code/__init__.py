"""Check a one-time code."""
