"""User research: canvases, quotes, provenance, releases, growth, follow-up batches."""
