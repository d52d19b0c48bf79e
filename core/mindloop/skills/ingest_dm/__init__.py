"""/ingest-dm: an export of direct messages becomes quotes, and one question which of them matter."""

SKILL, JUDGE = "ingest-dm", "quote-selector"
