"""Canvases: what a file says of one user, and how it is changed where it stands."""
