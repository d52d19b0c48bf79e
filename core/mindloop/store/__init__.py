"""Plain files behind kernel locks: the only layer that touches the disk."""
