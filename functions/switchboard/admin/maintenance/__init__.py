"""What operators do with whole stores."""
