"""JSON Schemas: reading them, and holding values against them."""
