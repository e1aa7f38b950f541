"""Streaming chat models behind one port."""
