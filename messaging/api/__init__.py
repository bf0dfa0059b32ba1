"""The log of worker messages over HTTP."""
