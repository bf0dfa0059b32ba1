"""The built-in worker kinds: what a hired worker does. They stand above the services they call."""
