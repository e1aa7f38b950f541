"""What a model sends, read and corrected."""
