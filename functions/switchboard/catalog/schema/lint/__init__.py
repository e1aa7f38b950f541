"""What is unwise in a schema or its words."""
