"""What callers have left for the business, as its people work through it."""
