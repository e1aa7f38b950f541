"""The store in this process's memory."""
