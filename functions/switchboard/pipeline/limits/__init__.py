"""How many calls run at once, for how long, and against what."""
