"""The server of games in the browser, and the page of every game."""
