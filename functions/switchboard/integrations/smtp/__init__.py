"""Outgoing e-mail over the business's own SMTP server (seed 001, "Example: Adding a New Tool")."""
