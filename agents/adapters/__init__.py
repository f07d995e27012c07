"""Games of other libraries as forward models, and forward models as games of other libraries."""
