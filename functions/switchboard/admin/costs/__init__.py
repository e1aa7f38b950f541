"""What a month cost each business: what it used, counted from what is written down once, and what units cost."""
