"""One client per outside system; each maps its vendor's errors to ours in one table."""
