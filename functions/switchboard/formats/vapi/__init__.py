"""Vapi's tools, calls and facts."""
