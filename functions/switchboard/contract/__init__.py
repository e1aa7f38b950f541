"""The words everyone shares: definitions, contexts, calls, responses, errors, limits and ports. No I/O happens here."""
