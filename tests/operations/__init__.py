"""What operators do: back up and restore, forget people, look errors up; and what strangers send."""
