"""Runs the command line as ``python -m agents``."""

from agents.cli.main import main

if __name__ == "__main__":
    main()
