"""Search what the business has written down."""
