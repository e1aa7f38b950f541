"""Tell the booking that the caller made last."""
