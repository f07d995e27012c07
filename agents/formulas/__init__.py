"""Formulas that value the children of a node: text, syntax trees, programs, grammars."""
