# The rules have no Python names: they are used through carcassonne_env.model and board.pxd.
