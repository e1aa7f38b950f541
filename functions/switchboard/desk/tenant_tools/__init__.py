"""What the tools that owners made do."""
