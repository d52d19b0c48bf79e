"""Arguments in, text or JSON out, exit codes."""
