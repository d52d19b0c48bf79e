"""Releases: entries, the derived index, the windows that allow a version claim."""
