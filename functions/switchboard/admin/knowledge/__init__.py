"""Policies, questions and documents as owners write them."""
