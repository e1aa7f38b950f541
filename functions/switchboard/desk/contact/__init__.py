"""Telephone numbers, addresses and links."""
