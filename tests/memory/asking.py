"""Short ways to ask a store, and what a clean rebuild of it would answer."""

import os
import sqlite3

from clawa_search.memory.store import MemoryStore
from indexer.analysis import query_words

# The table as Pi's extension makes it.
OLD = """
CREATE TABLE IF NOT EXISTS memories (
  id INTEGER PRIMARY KEY,
  ts INTEGER NOT NULL,
  text TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS memories_ts_idx ON memories(ts);
"""
INSERT = "INSERT INTO memories (ts, text, tags) VALUES (?, ?, ?)"
UPDATE = "UPDATE memories SET ts = ?, text = ?, tags = ? WHERE id = ?"
DELETE = "DELETE FROM memories WHERE id = ?"


def make_old(path, rows=(), sql=OLD):
    """Write a file as an older program left it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    con = sqlite3.connect(path)
    con.executescript(sql)
    if rows:
        con.executemany("INSERT INTO memories (id, ts, text, tags) VALUES (?, ?, ?, ?)", rows)
    con.commit()
    con.close()


def find(store, query, **filters):
    """Return the ids that match *query*, best first."""
    return [row.id for row in store.candidates(query_words(query), **filters).rows]


def texts(store, limit=1000):
    return [memory.text for memory in store.newest(limit)]


def rows_of(path):
    """Return what is stored, as any program sees it."""
    con = sqlite3.connect(path)
    try:
        return con.execute("SELECT id, ts, text, tags FROM memories ORDER BY id").fetchall()
    finally:
        con.close()


def answers(store, queries, tags):
    """Return what *store* says about everything that a user could ask."""
    said: dict[object, object] = {"newest": store.newest(1000), "count": store.count()}
    for tag in tags:
        said["tag", tag] = store.newest(1000, (tag,))
    for query in queries:
        words = query_words(query)
        found = store.candidates(words, limit=1000)
        said["query", query] = (
            [(row.id, round(row.score, 9), row.text, row.tags) for row in found.rows],
            found.df, found.code_df, found.total_rows, found.total_tokens,
        )  # fmt: skip
    return said


def rebuilt(path, rows):
    """Return a fresh store that holds *rows* and nothing else."""
    make_old(path, rows)
    return MemoryStore(path)
