"""Send an e-mail."""
