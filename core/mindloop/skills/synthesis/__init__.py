"""The pass over all users: feature vectors in, one question, what they share out."""

SKILL, JUDGE = "synthesis", "synthesis-writer"
