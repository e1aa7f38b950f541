"""What a business is, and what is connected to it."""
