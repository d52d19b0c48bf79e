"""The day's batch file: written, merged, read, held to its contract; earlier follow-ups."""
