"""Connecting calendars elsewhere, and feeds of our own."""
