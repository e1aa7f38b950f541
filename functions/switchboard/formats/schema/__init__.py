"""JSON Schemas as each vendor takes them."""
