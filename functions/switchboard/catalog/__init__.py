"""What exists, for whom, and in what words: the registry, the definitions in Firestore, and what is offered."""
