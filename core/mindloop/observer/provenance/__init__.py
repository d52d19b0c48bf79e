"""What users really said: the index, the quotes that match it, new quotes."""
