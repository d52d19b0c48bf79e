"""From a writer's raw answer to messages that may be sent."""
