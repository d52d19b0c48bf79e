"""What holds for every lead, decided by boxes and bounds, and for what does not a timeline that was run."""
