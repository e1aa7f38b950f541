"""Flag a caller and end the phone call."""
