"""Every write about external seats."""
