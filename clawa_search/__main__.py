"""`python -m clawa_search`."""

from clawa_search.start import main

main()
