"""What was said and done, and trying it."""
