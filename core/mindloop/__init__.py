"""mindloop: code runs the protocol, the model fills only the judgment gaps."""

__version__ = "0.1.0"
