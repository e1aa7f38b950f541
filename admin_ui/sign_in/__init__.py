"""Who looks: signing in, and keeping them signed in."""
