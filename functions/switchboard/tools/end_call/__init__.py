"""End the phone call."""
