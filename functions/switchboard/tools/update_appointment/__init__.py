"""Cancel one of the caller's own appointments."""
