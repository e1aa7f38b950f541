"""Collections of a business's own, such as an estate agent's properties: their fields, and the rows in them."""
