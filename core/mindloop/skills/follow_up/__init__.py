"""The /follow-up skill: step table, steps, and what a run keeps of a user."""
