"""Conversations as owners read, explain and try them."""
