"""The game in the browser: a local server, and the page that it serves."""
