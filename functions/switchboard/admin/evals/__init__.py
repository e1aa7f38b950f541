"""Conversations that owners keep as tests: proposed from what happened, edited, kept, and held again."""
