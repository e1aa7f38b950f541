"""Where documents are kept: Firestore, or memory for tests and for running without an emulator."""
