"""Search the knowledge base by meaning."""
