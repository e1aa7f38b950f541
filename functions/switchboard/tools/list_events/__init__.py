"""List when the calendar is taken."""
