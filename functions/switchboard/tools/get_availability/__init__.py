"""Tell which times are free on a day."""
