"""Honest local stand-ins for outside systems: they check every request as the vendor would, and fail on demand."""
