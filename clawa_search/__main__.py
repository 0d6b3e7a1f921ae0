"""`python -m clawa_search`."""

from clawa_search.main import main

main()
