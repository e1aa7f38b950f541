"""Tools that owners made, read from their documents."""
