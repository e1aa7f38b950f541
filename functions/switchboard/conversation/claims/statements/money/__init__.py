"""What is said of sums: prices, ranges of prices, fees and discounts."""
