"""What a change would do to what callers are offered, told before it is made."""
