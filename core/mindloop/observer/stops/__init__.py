"""Users whom nobody writes to for now, and why."""
