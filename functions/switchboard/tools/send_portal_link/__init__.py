"""Send a link to the portal."""
