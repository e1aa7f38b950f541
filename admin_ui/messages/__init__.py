"""What callers have left."""
