"""What the receptionist knows."""
