"""Transfer the phone call."""
