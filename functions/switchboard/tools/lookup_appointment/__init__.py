"""Find the caller's own appointments."""
