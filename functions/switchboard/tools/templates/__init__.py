"""What tenant tools are made from (seed 002, "Tool Type"): one handler per template, over a bound call."""
