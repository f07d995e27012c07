"""Agents for Carcassonne only: learned policies, and planners that decide in two steps."""
