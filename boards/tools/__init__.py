"""The eight tools of a board: as actions of a mailbox, as tools of a model, over MCP."""
