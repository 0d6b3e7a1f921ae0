"""Short facts with numeric ids in SQLite, and the mirror that makes them searchable."""
