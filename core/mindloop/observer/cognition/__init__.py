"""What was thought about a user: fears, steering targets, staleness."""
