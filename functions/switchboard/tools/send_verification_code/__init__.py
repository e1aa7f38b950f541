"""Send a one-time code to the number on file."""
