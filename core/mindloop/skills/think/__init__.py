"""/think: what one user may be afraid of, one isolated question a user."""

SKILL, JUDGE = "think", "cognition-distiller"
