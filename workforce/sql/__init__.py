"""SQL that is written once: for the few statements that every call runs, and for very many rows at once.

To build a statement by the ORM takes several times as long as to run it. Both modules know nothing but models' own
names and columns.
"""
