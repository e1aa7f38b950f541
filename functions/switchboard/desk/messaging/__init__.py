"""Text messages, e-mails and notes to the owner, each sent once."""
