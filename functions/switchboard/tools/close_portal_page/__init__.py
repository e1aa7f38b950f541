"""Close what a portal link has opened."""
