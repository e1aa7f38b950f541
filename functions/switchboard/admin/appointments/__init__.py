"""Appointments as the business itself makes, moves and cancels them."""
