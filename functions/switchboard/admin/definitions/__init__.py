"""Editing what tools are and say."""
