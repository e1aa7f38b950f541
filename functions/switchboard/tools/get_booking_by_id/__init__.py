"""Tell the details of one of the caller's own bookings."""
