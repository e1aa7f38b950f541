"""The labelled sentences that the claim classifier is trained on, and its training."""
