"""Everything that scripts/run starts on this machine, and what other commands start of it."""
