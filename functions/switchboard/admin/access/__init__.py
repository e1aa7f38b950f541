"""Who may do what, and what the others are told."""
