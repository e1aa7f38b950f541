"""Who a caller is, and how far that is believed."""
