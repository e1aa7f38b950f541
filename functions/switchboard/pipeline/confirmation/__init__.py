"""What a caller is asked before something is done, and whether they said yes."""
