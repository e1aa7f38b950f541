"""Keeping tools at Vapi as they are here."""
