"""Labelled sentences of agents, by which the check of claims is measured."""
