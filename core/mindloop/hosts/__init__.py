"""Who fills gaps: the headless client, or the rehearsal that answers with defaults."""
