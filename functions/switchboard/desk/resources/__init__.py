"""With whom and in what an appointment can be, and who takes it."""
