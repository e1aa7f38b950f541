"""Book an appointment."""
