"""What `post` is compared with: a minimal DRF view that authenticates a key and inserts one row."""
