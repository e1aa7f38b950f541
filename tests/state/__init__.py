"""The stores: one contract suite for both, and what only one of them can show."""
