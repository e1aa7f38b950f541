"""What can be measured, traced and logged, in no vendor's form."""
