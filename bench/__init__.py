"""Benchmarks of clawa-search: `python -m bench COMMAND`. Never imported by the product."""
