"""The built-in tools: where they are offered, and their words."""
