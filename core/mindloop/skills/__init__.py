"""One package a skill: its step table and its steps."""
