"""Tell one entry of the knowledge base whole."""
