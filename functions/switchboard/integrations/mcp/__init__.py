"""Servers of the Model Context Protocol that owners connect: reached as strangers are."""
