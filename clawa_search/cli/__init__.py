"""The command line: arguments in, facade called, output out. No logic."""
