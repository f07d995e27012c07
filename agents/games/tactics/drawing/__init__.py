"""What the picture of a position is made of; `picture.py` beside this folder puts it together."""
