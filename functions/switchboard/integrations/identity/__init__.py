"""Tokens that others have signed, and who is named in them."""
