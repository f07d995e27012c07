"""A player as a program of its own: plain Python without any package, as an example to translate.

    carcassonne tournament random "mine=process(python examples/benchmark/engine.py)" --games 5

It claims roads, cities and cloisters while it has meeples, and otherwise lays its tile near the
middle. `examples/benchmark/README.md` describes the protocol.
"""

import json
import sys


def value(text, meeples):
    """How much the engine likes a move such as "(1, -2) 90° city N-E"."""
    cell, _, rest = text.partition(")")
    x, y = map(int, cell.strip("(").split(","))
    target = rest.split()[1:2]
    kinds = {"cloister": 4, "city": 3, "road": 2, "farm": -1}
    return (kinds[target[0]] if target and meeples > 1 else 0) - 0.1 * (abs(x) + abs(y))


position = seat = None
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "game":
        seat = request["seat"]
    if request.get("position"):
        position = request["position"]
    if request["type"] == "move":
        on_board = sum(meeple["player"] == seat for meeple in position["meeples"])
        meeples = position["num_meeples"] - on_board
        best = max(request["texts"], key=lambda text: value(text, meeples))
        print(json.dumps({"move": best}), flush=True)
    if request["type"] == "quit":
        break
