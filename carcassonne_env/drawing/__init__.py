"""Pictures of a position: SVG, pixels and text."""
