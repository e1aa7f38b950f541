"""What a business has written down, and finding it."""
