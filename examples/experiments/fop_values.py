"""The values of the nodes of the five functions' game trees: under random play, and true values.

The script writes a table of all nodes and one figure for each function, in a second or two. Bars
are belief values, the mean returns of random playouts; strokes are game-theoretical values. It runs
in one process, so the options for workers and clusters have no effect.

Source: Valdez Ameneyro (2024, see the README), figures 4.5 to 4.9.
"""

from __future__ import annotations

import pandas as pd
from report import Option, Report, markdown, run

from agents.csv_tables import write_table
from fop_env import FUNCTIONS, FopModel
from fop_env.figures import value_figure
from fop_env.values import node_values


def value_table(function: str, depth: int) -> pd.DataFrame:
    """The values of all nodes of a function down to a depth, with one row for each node."""
    values = node_values(FopModel(function), depth)
    columns = {name: values[name].ravel() for name in values.dtype.names}  # of one dimension
    return pd.DataFrame({"function": function, **columns})


def main(report: Report) -> None:
    depth = report.args.depth
    table = pd.concat([value_table(function, depth) for function in FUNCTIONS])
    write_table(report.path(), table)
    rows = table[table["depth"] <= 1].values
    cells = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in row] for row in rows]
    report.section(
        "The first choice",
        "Belief value, the mean return of random playouts, and game-theoretical value of the root "
        "(depth 0) and of both halves (depth 1); `fop_values.csv` has all nodes.",
        markdown(table.columns, cells),
    )
    for function in FUNCTIONS:
        figure = value_figure(FopModel(function), depth)
        report.picture(function, figure, f"{function}: belief and game-theoretical values")


if __name__ == "__main__":
    levels = range(1, FopModel().num_levels + 1)
    depth = Option(5, "deepest level shown", choices=levels)
    run(main, "Values in the Function Optimisation Problem", depth=depth)
