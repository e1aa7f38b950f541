"""Live speech models: secrets for browsers that talk to them directly, and keys for browsers that dial in."""
