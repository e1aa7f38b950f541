"""People, rooms and seats as owners enter them."""
