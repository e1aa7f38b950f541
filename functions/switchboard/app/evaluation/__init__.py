"""Conversations held again: a scenario played over a store in memory, and judged by what is left of it."""
