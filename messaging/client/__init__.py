"""A client of the durable inbox: ``python -m messaging.client``. Standard library only. See docs/inbox-client.md."""
