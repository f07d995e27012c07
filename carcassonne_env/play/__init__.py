"""A game between people and agents, without a screen. Front ends share these modules."""
