"""Schemas that others wrote loosely, made strict enough to use."""
