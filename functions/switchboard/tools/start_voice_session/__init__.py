"""Move a written conversation to speech."""
