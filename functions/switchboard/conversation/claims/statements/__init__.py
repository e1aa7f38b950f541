"""What is said that is no deed, each kind held against what is known: prices, free times, hours, answers, services."""
