"""Agents as owners set them up."""
