"""Dispatch: how requests that nobody waits for are started, claimed, run and found again.

The request row is the job; Celery's message is only a nudge. See docs/dispatch.md.
"""
