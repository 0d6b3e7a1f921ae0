"""The version of an index: it changes when one written before can no longer be used.

Apart from `schema`, so that a run that finds nothing to do never loads tantivy.
"""

SCHEMA_VERSION = 5
ANALYSIS_VERSION = 2
VERSION = f"s{SCHEMA_VERSION}a{ANALYSIS_VERSION}"
