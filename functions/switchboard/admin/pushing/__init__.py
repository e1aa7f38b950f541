"""A template pushed to many businesses: what would change in each is told first, and an owner's own words stay."""
