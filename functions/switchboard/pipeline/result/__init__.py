"""What a call's answer says, and how much of it."""
