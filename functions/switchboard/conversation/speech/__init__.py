"""What a caller hears, and how much of it they have heard."""
