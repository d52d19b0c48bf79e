"""What users share, from numbers and labels alone."""
