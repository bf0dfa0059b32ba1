"""Reads about external seats."""
