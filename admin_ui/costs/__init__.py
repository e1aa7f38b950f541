"""What a month cost, and what units cost."""
