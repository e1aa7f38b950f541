"""Callers as owners see them: kept out, and what they do not want."""
