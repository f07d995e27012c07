"""What the thesis published: its planners, and the numbers of tables 5.4 to 5.11 and 6.2 to 6.9.

Source: F. Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies
in Monte Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of
Ireland Maynooth. Games are named as in this suite.
"""

from __future__ import annotations

CONSTANTS = {
    "MCTS C=0.5": 0.5, "MCTS C=1": 1, "MCTS C=sqrt2": 2**0.5, "MCTS C=2": 2, "MCTS C=3": 3
}  # fmt: skip
RULE = "recommendation=robust-random"
"""How the planners of the thesis choose: the most visited action, ties at random."""
MCTS = {label: f"mcts(iterations={{iterations}}, c={c}, {RULE})" for label, c in CONSTANTS.items()}
EVOLVING = {
    name: f"{name.lower()}(iterations={{iterations}}, {RULE})" for name in ("EA-MCTS", "SIEA-MCTS")
}
TREE_AGENTS = (*MCTS, *EVOLVING)

# Tables 5.4 to 5.8: search trees in the FOP

TREE_SEARCHES = 100
TREES = {
    "f1": (
        ("1", "0", "14.04 ± 1.38", "0.999"),
        ("1", "0", "13.14 ± 1.37", "0.999"),
        ("1", "0", "12.85 ± 1.39", "0.999"),
        ("1", "0", "12.58 ± 1.29", "0.999"),
        ("1", "0", "12.33 ± 1.18", "0.999"),
        ("0.56 ± 0.25", "545 ± 470", "13.53 ± 2.82", "0.999"),
        ("0.54 ± 0.24", "418 ± 376", "13.39 ± 2.85", "0.999"),
    ),
    "f2": (
        ("0.49 ± 0.20", "621 ± 384", "15.65 ± 2.14", "0.936 ± 0.04"),
        ("0.96 ± 0.05", "1064 ± 382", "15.61 ± 2.21", "0.964 ± 0.02"),
        ("1", "739 ± 260", "15.05 ± 2.54", "0.971 ± 0.01"),
        ("1", "197 ± 146", "14.25 ± 2.55", "0.973"),
        ("1", "0", "12.96 ± 2.12", "0.972 ± 0.01"),
        ("0.21 ± 0.08", "69 ± 49", "11.35 ± 3.27", "0.922 ± 0.05"),
        ("0.23 ± 0.11", "74 ± 67", "11.37 ± 3.21", "0.922 ± 0.05"),
    ),
    "f3": (
        ("0.53 ± 0.13", "492.54 ± 241.58", "", "0.970 ± 0.06"),
        ("1", "117.18 ± 113.42", "", "0.993 ± 0.02"),
        ("1", "0", "", "0.986 ± 0.02"),
        ("1", "0", "", "0.964 ± 0.07"),
        ("1", "0", "", "0.903 ± 0.13"),
        ("0.19 ± 0.10", "38.59 ± 30.76", "", "0.970 ± 0.07"),
        ("0.19 ± 0.08", "34.39 ± 22.53", "", "0.971 ± 0.06"),
    ),
    "f4": (
        ("0.36 ± 0.20", "447 ± 372", "15.30 ± 2.46", "0.912 ± 0.05"),
        ("0.91 ± 0.09", "1212 ± 274", "15.73 ± 2.27", "0.974 ± 0.02"),
        ("1 ± 0.01", "1029 ± 192", "15.35 ± 2.49", "0.979"),
        ("1", "415 ± 155", "14.58 ± 2.59", "0.978"),
        ("1", "0", "13.46 ± 2.42", "0.977"),
        ("0.21 ± 0.10", "54 ± 57", "11.09 ± 3.15", "0.874 ± 0.06"),
        ("0.21 ± 0.10", "52 ± 58", "10.99 ± 3.08", "0.873 ± 0.06"),
    ),
    "f5": (
        ("0.11 ± 0.04", "120.91 ± 98.29", "", "0.822 ± 0.08"),
        ("0.31 ± 0.05", "393.43 ± 152.67", "", "0.865 ± 0.05"),
        ("0.45 ± 0.06", "567.67 ± 158.25", "", "0.875 ± 0.06"),
        ("0.64 ± 0.07", "771.57 ± 133.4", "", "0.915 ± 0.06"),
        ("0.90 ± 0.06", "704.82 ± 211.08", "", "0.957 ± 0.04"),
        ("0.19 ± 0.10", "53.26 ± 69.47", "", "0.809 ± 0.10"),
        ("0.20 ± 0.09", "46.98 ± 45.15", "", "0.812 ± 0.10"),
    ),
}
"""By function, one row for each of `TREE_AGENTS`: expansion rate, terminal states, depth of the
leaves, and result, as printed. A text is a mean ± the deviation over searches; that of the depth is
over the leaves of a tree. Our sources do not have the depths of f3 and f5."""

# Table 5.10: single-player Carcassonne

SINGLE_PLAYER_GAMES = 30
SINGLE_PLAYER = {
    "1p-1m-small-d": {
        "MCTS C=0.5": ("30.83 ± 9.38", "11.86", "0.122"),
        "MCTS C=sqrt2": ("31.70 ± 7.21", "11.19", "0.128"),
        "MCTS C=3": ("31.80 ± 10.17", "11.36", "0.128"),
        "EA-MCTS": ("27.27 ± 8.53", "12.21", "0.107"),
        "SIEA-MCTS": ("29.23 ± 8.81", "11.54", "0.114"),
        "Expectimax-1-s": ("7.53 ± 8.94", "3.83", "0.101"),
        "Expectimax-1-vs": ("21.93 ± 11.72", "9.40", "0.101"),
        "Expectimax-2-s": ("13.83 ± 11.78", "4.94", "0.171"),
        "Expectimax-2-vs": ("27.33 ± 12.88", "8.54", "0.226"),
        "Random": ("3.13 ± 3.79", "2.76", "0.059"),
    },
    "1p-1m-small-s": {
        "MCTS C=0.5": ("27.83 ± 7.5", "11.60", "0.106"),
        "MCTS C=sqrt2": ("31.97 ± 10.52", "13.90", "0.100"),
        "MCTS C=3": ("33.07 ± 11.02", "12.88", "0.114"),
        "EA-MCTS": ("29.03 ± 8.19", "13.61", "0.094"),
        "SIEA-MCTS": ("31.43 ± 9.28", "13.47", "0.103"),
        "Expectimax-1-s": ("5.53 ± 5.59", "3.32", "0.081"),
        "Expectimax-1-vs": ("22.03 ± 13.5", "10.84", "0.088"),
        "Expectimax-2-s": ("32.70 ± 18.47", "5.25", "0.552"),
        "Expectimax-2-vs": ("30.07 ± 14.22", "8.28", "0.242"),
        "Random": ("3.73 ± 4.26", "3.39", "0.064"),
    },
    "1p-3m-small-d": {
        "MCTS C=0.5": ("50.20 ± 5.65", "7.76", "0.307"),
        "MCTS C=sqrt2": ("49.40 ± 7.85", "7.48", "0.310"),
        "MCTS C=3": ("49.13 ± 6.48", "7.48", "0.314"),
        "EA-MCTS": ("43.40 ± 5.46", "7.80", "0.271"),
        "SIEA-MCTS": ("46.07 ± 8.18", "7.72", "0.296"),
        "Expectimax-1-s": ("16.20 ± 7.32", "3.26", "0.288"),
        "Expectimax-1-vs": ("40.77 ± 11.48", "7.24", "0.245"),
        "Expectimax-2-s": ("26.53 ± 12.29", "3.83", "0.438"),
        "Expectimax-2-vs": ("45.50 ± 10.51", "7.04", "0.358"),
        "Random": ("8.07 ± 5.00", "2.47", "0.190"),
    },
    "1p-3m-small-s": {
        "MCTS C=0.5": ("49.90 ± 7.29", "7.84", "0.294"),
        "MCTS C=sqrt2": ("49.13 ± 5.75", "7.80", "0.288"),
        "MCTS C=3": ("48.57 ± 6.92", "7.59", "0.294"),
        "EA-MCTS": ("45.87 ± 5.73", "7.56", "0.286"),
        "SIEA-MCTS": ("47.60 ± 7.50", "7.32", "0.316"),
        "Expectimax-1-s": ("18.70 ± 7.76", "3.53", "0.290"),
        "Expectimax-1-vs": ("36.43 ± 9.31", "7.01", "0.239"),
        "Expectimax-2-s": ("48.67 ± 8.68", "4.66", "0.812"),
        "Expectimax-2-vs": ("53.33 ± 11.20", "7.62", "0.404"),
        "Random": ("10.27 ± 5.25", "3.02", "0.209"),
    },
}
"""Score (mean ± deviation), points a meeple played, share of turns with a meeple in hand."""

# Table 5.11: formulas that evolve

FORMULAS = {
    ("f1", "EA-MCTS"): (0.49, 0.52, 0.95, "12.0"),
    ("f1", "SIEA-MCTS"): (0.50, 0.52, 0.95, "11.9"),
    ("f2", "EA-MCTS"): (0.55, 0.53, 0.93, "13.2"),
    ("f2", "SIEA-MCTS"): (0.63, 0.49, 0.93, "12.8"),
    ("f3", "EA-MCTS"): (0.73, 0.60, 0.91, "13.69"),
    ("f3", "SIEA-MCTS"): (0.72, 0.59, 0.88, "14.69"),
    ("f4", "EA-MCTS"): (0.61, 0.60, 0.93, "14.24"),
    ("f4", "SIEA-MCTS"): (0.65, 0.52, 0.94, "13.07"),
    ("f5", "EA-MCTS"): (0.58, 0.67, 0.99, "14.32"),
    ("f5", "SIEA-MCTS"): (0.59, 0.61, 0.99, "13.86"),
    ("1p-1m-small-d", "EA-MCTS"): (0.59, 0.62, 0.94, "14.26"),
    ("1p-1m-small-d", "SIEA-MCTS"): (0.53, 0.63, 0.93, "14.05"),
    ("1p-1m-small-s", "EA-MCTS"): (0.58, 0.64, 0.88, "13.23"),
    ("1p-1m-small-s", "SIEA-MCTS"): (0.57, 0.64, 0.89, "13.74"),
    ("1p-3m-small-d", "EA-MCTS"): (0.57, 0.63, 0.94, "14.38"),
    ("1p-3m-small-d", "SIEA-MCTS"): (0.55, 0.61, 0.94, "14.15"),
    ("1p-3m-small-s", "EA-MCTS"): (0.61, 0.61, 0.89, "13.59"),
    ("1p-3m-small-s", "SIEA-MCTS"): (0.55, 0.61, 0.89, "13.26"),
}
"""Shares of the evolved formulas that contain n, N and Q, and their mean number of nodes."""

# Chapter 6: the base game for two

KINDS_OF_RETURNS = {"first": (2, 0, 48), "second": (4, 1, 45)}
"""Table 6.2, by seat: wins, draws and losses of MCTS with returns 1, 0 and -1 against MCTS with the
difference of the scores. Both have the same C, drawn from [0.5, 3] for every pair of games."""
RANDOM_GAMES = 20
AGAINST_RANDOM = {
    "first": {
        "MCTS C=0.5": ("97.05", "113.05", "16.2"),
        "MCTS C=1": ("85.75", "96.6", "14.3"),
        "MCTS C=sqrt2": ("84.05", "97.9", "14.75"),
        "MCTS C=2": ("75.15", "90.7", "13.35"),
        "MCTS C=3": ("71.35", "86.65", "12.95"),
    },
    "second": {
        "MCTS C=0.5": ("90.8", "105.95", "14.05"),
        "MCTS C=1": ("86.4", "100.1", "14.5"),
        "MCTS C=sqrt2": ("79.9", "93.55", "14"),
        "MCTS C=2": ("71.9", "87.65", "13"),
        "MCTS C=3": ("67.15", "80.85", "12.45"),
    },
}
"""Table 6.3, by seat: lead over random play, own score, meeples played."""
AGAINST_RANDOM_DEVIATIONS = {"first": ("", "", ""), "second": ("20", "16", "")}
"""About, over games: the table prints errors of the mean lead of about 4.5. Our sources do not have
those of the first seat."""
MATCHES_OF_CONSTANTS = {
    "MCTS C=0.5": ("10-0-0", "10-0-0", "10-0-0", "9-1-0"),
    "MCTS C=1": ("5-1-4", "9-0-1", "5-0-5", "8-1-1"),
    "MCTS C=sqrt2": ("2-0-8", "3-0-7", "5-0-5", "7-0-3"),
    "MCTS C=2": ("0-0-10", "5-0-5", "4-0-6", "7-1-2"),
    "MCTS C=3": ("1-0-9", "3-0-7", "2-0-8", "4-1-5"),
}
"""Table 6.4: wins-draws-losses of the row's agent in the first seat against each of the others."""
LEADS_OF_CONSTANTS = {
    "MCTS C=0.5": ("20.1", "24.8", "29.6", "25.5"),
    "MCTS C=1": ("2.2", "13.9", "4.8", "13.3"),
    "MCTS C=sqrt2": ("-13.2", "-6.0", "5.9", "8.6"),
    "MCTS C=2": ("-24.6", "-1.0", "-2.2", "9.8"),
    "MCTS C=3": ("-22.7", "-5.3", "-13.7", "-0.3"),
}
"""Table 6.4: mean lead of the row's agent in these games."""
POINTS_OF_CONSTANTS = {
    "MCTS C=0.5": 38, "MCTS C=1": 28, "MCTS C=sqrt2": 15, "MCTS C=2": 18, "MCTS C=3": 5
}  # fmt: skip
"""Table 6.6: league points from the matches of table 6.4."""
FINAL_MATCHES = {
    "MCTS C=0.5": ("13-0-7", "15-1-4", "15-0-5", "20-0-0", "17-0-3", "20-0-0"),
    "MCTS C=1": ("12-0-8", "12-0-8", "12-0-8", "20-0-0", "19-0-1", "20-0-0"),
    "EA-MCTS": ("11-0-9", "10-1-9", "12-1-7", "20-0-0", "17-1-2", "20-0-0"),
    "SIEA-MCTS": ("7-1-12", "6-0-14", "11-1-8", "20-0-0", "16-0-4", "20-0-0"),
    "Expectimax-2-s": ("0-0-20", "0-0-20", "0-0-20", "0-0-20", "0-0-20", "20-0-0"),
    "Expectimax-2-vs": ("3-0-17", "5-0-15", "6-0-14", "7-1-12", "20-0-0", "20-0-0"),
    "Random": ("0-0-20", "0-0-20", "0-0-20", "0-0-20", "4-0-16", "0-0-20"),
}
"""Table 6.8, likewise."""
FINAL_RANKS = {
    "MCTS C=0.5": 1, "MCTS C=1": 2, "EA-MCTS": 3, "SIEA-MCTS": 4, "Expectimax-2-vs": 5,
    "Expectimax-2-s": 6, "Random": 7,
}  # fmt: skip
"""Table 6.9: ranks from the matches of table 6.8."""
