"""Tests of the evaluations that anybody can run."""
