"""Handing a conversation to somebody else."""
