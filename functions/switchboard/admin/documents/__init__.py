"""Documents as owners see them."""
