"""Tell whether a time is free, and which times are."""
