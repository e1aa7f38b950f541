"""What a tool is: its definition, its parameters, and what others bring."""
