"""Switchboard: the tool dispatcher behind an AI receptionist.

The rooms of this package and who may import whom are drawn in the README; `tests/architecture` holds the code to it.
"""

VERSION = "0.1.0"
