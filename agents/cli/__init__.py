"""The program ``python -m agents``, one module a command; it knows no game but by its name."""
