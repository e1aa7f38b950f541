"""What an agent says was done, held against what was."""
