"""Formulas that choose children in a search tree, and formulas that value positions."""
