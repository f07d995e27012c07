"""What the nodes of the five functions' game trees are worth: before any search, and in truth.

Writes one figure a function (bars: belief values, the mean return of random playouts; strokes:
game-theoretical values) and a table of all nodes, in a second or two. Needs the extra
``experiments``.

Source: Valdez Ameneyro (2024, see the README), figures 4.5 to 4.9.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from fop_env import FUNCTIONS, FopModel
from fop_env.figures import value_figure
from fop_env.values import node_values


def value_table(function: str, depth: int) -> pd.DataFrame:
    """The values of all nodes of a function down to a depth, one row a node."""
    values = node_values(FopModel(function), depth)
    columns = {
        name: values[name].squeeze(axis=1) if values[name].ndim == 2 else values[name]
        for name in values.dtype.names
    }
    return pd.DataFrame({"function": function, **columns})


def main() -> None:
    """Writes ``fop_values.csv`` and ``fop_values_f1.png`` to ``fop_values_f5.png``."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--depth", type=int, default=5, help="deepest level shown, 1 to 17")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    args = parser.parse_args()
    if not 1 <= args.depth <= FopModel().num_levels:
        parser.error(f"--depth must be in [1, {FopModel().num_levels}], got {args.depth}")
    args.out.mkdir(parents=True, exist_ok=True)
    table = pd.concat([value_table(function, args.depth) for function in FUNCTIONS])
    table.to_csv(args.out / "fop_values.csv", index=False)
    for function in FUNCTIONS:
        picture = args.out / f"fop_values_{function}.png"
        value_figure(FopModel(function), args.depth).savefig(picture, dpi=150)
        print(f"Picture: {picture}")
    print(f"Table: {args.out / 'fop_values.csv'}")
    print(table[table["depth"] <= 1].to_string(index=False, float_format="%.3f"))


if __name__ == "__main__":
    main()
