"""One user's prompt and the proof that nobody else is in it."""
