"""Vapi: the tools and assistants of owners' accounts there, and phone calls that are handed over to it."""
