"""Collections of a business's own."""
