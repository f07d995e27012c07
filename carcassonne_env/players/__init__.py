"""Agents that need to know Carcassonne: learned policies, and planners that decide in two steps."""
