"""One turn of a worker: model, prompt, history, tools and limits. See docs/turns.md."""
