"""What Python itself does, done so that a cold start pays less for it."""
