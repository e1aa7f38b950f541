"""End a browser voice session."""
