"""Who calls, how they prove it, and who is kept out."""
