"""What is kept of a conversation, and how it is taken up again."""
