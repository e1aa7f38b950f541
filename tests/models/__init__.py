"""The models, held against what the vendors' own SDKs read from the same bytes."""
