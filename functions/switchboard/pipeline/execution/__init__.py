"""Running what was let in, at once or later."""
