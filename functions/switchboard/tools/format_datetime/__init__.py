"""Put a date and time into words."""
