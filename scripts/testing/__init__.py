"""What scripts/test and scripts/check are made of."""
