"""One turn of a worker: model, prompt, history, tools and limits. See docs/turns.md.

The agent library is imported only when a turn runs: it takes a second that a web process never needs.
"""
