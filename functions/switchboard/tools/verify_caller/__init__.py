"""Find out who is calling."""
