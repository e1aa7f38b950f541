"""Mutation testing of the pipeline: small wrong changes, of which the tests must notice nearly all."""
