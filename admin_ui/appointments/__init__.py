"""What is booked, with whom, and when somebody is not there."""
