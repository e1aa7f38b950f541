"""Find phone numbers and e-mail addresses in a text."""
