"""Connecting vendors."""
