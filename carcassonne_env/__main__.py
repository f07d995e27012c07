"""``python -m carcassonne_env``: the command line."""

from carcassonne_env.cli.main import main

if __name__ == "__main__":
    main()
