"""Who changed what, and the way back."""
