"""Take a message."""
