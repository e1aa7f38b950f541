"""Send a text message."""
