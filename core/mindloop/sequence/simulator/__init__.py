"""What a set of follow-ups does to leads, minute by minute: deterministic, and driven by what happens."""
