"""Requests to addresses that owners chose: checked, pinned to what was checked, and bounded in every direction."""
