"""Runs the command line as ``python -m carcassonne_env``."""

from carcassonne_env.cli.main import main

if __name__ == "__main__":
    main()
