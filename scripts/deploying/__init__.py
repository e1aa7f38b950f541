"""What scripts/deploy does, in parts; standard library only, and reaching Google through gcloud and firebase alone."""
