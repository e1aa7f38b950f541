"""Which tools a conversation is offered, and why others are not."""
