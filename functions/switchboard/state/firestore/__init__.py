"""The store over Firestore."""
