"""Steps, gaps and runs: the runner that walks a step table."""
