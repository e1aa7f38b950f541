"""How the owners' HTTP API reads, answers and describes itself."""
