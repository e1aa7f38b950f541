"""What is counted of calls, and told of it."""
