"""The product in a simulated world: every second, failure, death and duplicate of it from one seed."""
