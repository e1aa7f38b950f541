"""Twilio: text messages, and phone calls that are under way."""
