"""Test-bed games, one folder each."""
