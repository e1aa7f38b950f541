"""What a business says of itself, read tolerantly from its document."""
