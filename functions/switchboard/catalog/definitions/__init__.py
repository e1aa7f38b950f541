"""Where tools come from: built in, stored, and held against their code."""
