"""Direct messages on their way to a canvas: whose words they are, and which of them matter."""
