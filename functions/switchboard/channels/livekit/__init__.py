"""LiveKit: for a worker that carries the conversation itself, and has its tools listed and executed here."""
