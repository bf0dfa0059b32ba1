"""Every write of worker messages."""
