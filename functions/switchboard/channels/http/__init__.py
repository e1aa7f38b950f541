"""What every service asks over HTTP."""
