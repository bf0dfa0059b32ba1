"""Digests: what is new and still open, by e-mail or Telegram. See docs/digests.md."""
