"""Reads of delegation."""
