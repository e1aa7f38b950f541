"""Customers on file, and what else is known of them."""
