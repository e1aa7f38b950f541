"""Tools from elsewhere, and ours for elsewhere."""
