"""Businesses as owners make and edit them."""
