"""/grow: replies are matched, confirmed by a person, and classified one isolated question a signal."""

SKILL, JUDGE = "grow", "reply-classifier"
