"""Every write of delegation."""
