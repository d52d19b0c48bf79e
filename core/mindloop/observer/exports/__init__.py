"""Exports of direct messages: one reader a format, streamed."""
