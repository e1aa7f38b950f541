"""Tell when the business is open."""
