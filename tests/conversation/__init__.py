"""The turn loop with a scripted model, planted tools and the real dispatcher."""
