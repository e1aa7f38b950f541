"""Callers' answers, and the training of what reads them."""
