"""What Vapi asks of us: to run a tool during a phone call, and to begin one."""
