"""What businesses keep secret, encrypted at rest."""
