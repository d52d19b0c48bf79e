"""The growth loop: what became of earlier messages, and what that teaches."""
