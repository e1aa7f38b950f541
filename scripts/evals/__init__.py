"""Evaluations: scenarios in YAML, held by the product as it is, and judged by what is left in the end."""
