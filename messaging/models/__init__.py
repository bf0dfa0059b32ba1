"""The rows of the messaging app."""
