"""The tools that a business makes itself."""
