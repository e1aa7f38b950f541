"""Conversations as tests."""
