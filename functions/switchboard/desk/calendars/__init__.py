"""What is in calendars, ours and others', and what is free."""
