"""/ingest-dm: an export of direct messages becomes quotes, and one question which of them matter."""
