"""Keys, accounts and roles."""
