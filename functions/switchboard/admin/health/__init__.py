"""What is wrong with a business, and what to do."""
