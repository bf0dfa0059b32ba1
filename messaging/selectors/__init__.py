"""Reads of worker messages."""
