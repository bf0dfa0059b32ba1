"""What models are offered of messages."""
