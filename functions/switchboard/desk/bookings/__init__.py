"""Appointments: from the wish to the entry, and back."""
