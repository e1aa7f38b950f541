"""Enter an event into the calendar."""
