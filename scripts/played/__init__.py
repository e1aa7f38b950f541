"""Conversations that somebody has played as a language model, recorded, to be held again by the product as it is."""
