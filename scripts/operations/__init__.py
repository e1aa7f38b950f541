"""What the commands for a running Switchboard do."""
