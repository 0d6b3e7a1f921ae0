"""Session files of agents -> a Tantivy index: discovery, formats, checkpoints, incremental sync.

Imports the standard library, tantivy and orjson; never `clawa_search`.
"""
