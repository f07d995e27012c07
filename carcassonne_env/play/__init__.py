"""What front ends share: games between people and agents, the benchmark's tasks, and recording."""
