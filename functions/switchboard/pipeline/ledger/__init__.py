"""The record of every call, by which none is done twice."""
