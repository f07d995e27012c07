"""Games between people and agents, whatever the game is and whatever shows it."""
