"""Tools that owners make themselves."""
