"""What Switchboard promises, row by row, and which tests keep each promise."""
