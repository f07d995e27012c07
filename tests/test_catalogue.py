"""Games by name: those of this repository, and those that other distributions bring."""

from importlib import import_module

import pytest

from agents import MCTS, Expectimax, RandomAgent, make
from agents.catalogue import game, game_names, named_players
from agents.games import Dodgem, Hex, Reversi, make as make_game
from carcassonne_env import CarcassonneModel
from carcassonne_env.game_setup import Setup
from fop_env import FopModel
from games import TicTacToe
from strangers import installed

STRANGER = """
from games import TicTacToe as make

HEURISTICS = ()
PLAYERS = {"careful": "mcts(c=2.0)", "greedy": "expectimax(depth=1)"}
"""


@pytest.fixture
def stranger(tmp_path):
    """An installed distribution that brings a game "oxo" and another one that is broken."""
    with installed(tmp_path, {"oxo": STRANGER, "half": "make = dict\n"}):
        yield


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("carcassonne", CarcassonneModel()),
        ("carcassonne(num_players=3, tiles=small)", CarcassonneModel(3, tiles="small")),
        ("fop", FopModel()),
        ("fop(function=f4, threshold=0.01)", FopModel("f4", threshold=0.01)),
        ("dodgem", Dodgem(5, 200)),
        ("dodgem(size=4, max_plies=30)", Dodgem(4, 30)),
        ("hex", Hex(11)),
        ("hex(size=4, swap=True)", Hex(4, swap=True)),
        ("reversi(plus=True)", Reversi(plus=True)),
    ],
)
def test_text_makes_a_game(text, expected):
    assert make_game(text) == expected


def test_games_are_known_with_their_heuristics_and_players():
    assert {"carcassonne", "fop"} <= set(game_names())
    assert game("carcassonne").heuristics == tuple(CarcassonneModel.heuristics)
    assert game("fop").heuristics == FopModel.heuristics
    for text in named_players().values():
        assert repr(make(text)) == repr(make(repr(make(text))))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("chess", ValueError, "game must be one of .*carcassonne, .*fop.*, got 'chess'"),
        ("carcasonne", ValueError, "got 'carcasonne'; did you mean 'carcassonne'?"),
        ("fop(f4)", ValueError, "options must read like option=value"),
        ("fop(depth=4)", ValueError, "'fop' has no option 'depth'; its options are: function, "),
        ("fop(branching=1)", ValueError, "branching must be"),
        ("carcassonne(num_players=6)", ValueError, "num_players must be"),
    ],
)
def test_bad_games_are_refused(text, error, message):
    with pytest.raises(error, match=message):
        make_game(text)


@pytest.mark.usefixtures("stranger")
def test_a_stranger_joins():
    assert "oxo" in game_names()
    assert make_game("oxo(cells=X........)") == TicTacToe("X........")
    with pytest.warns(RuntimeWarning, match="the game 'half' cannot be loaded: .* no HEURISTICS"):
        assert repr(make("careful(iterations=7)")) == "mcts(iterations=7, c=2.0)"


@pytest.mark.usefixtures("stranger")
def test_a_name_that_two_games_give_needs_the_game(monkeypatch):
    monkeypatch.setattr("agents.catalogue.game_names", lambda: ("carcassonne", "oxo"))
    assert "greedy" not in named_players()
    with pytest.raises(ValueError, match=r"got 'greedy'.*carcassonne\.greedy, .*oxo\.greedy"):
        make("greedy")
    assert type(make("oxo.greedy")) is Expectimax


def test_an_agent_of_a_game_takes_no_name_that_all_games_share(tmp_path):
    code = STRANGER + "from agents import RandomAgent\nAGENTS = {'mcts': RandomAgent}\n"
    with installed(tmp_path, {"oxo": code}):
        assert type(make("mcts")) is type(make("uct")) is type(make("careful")) is MCTS
        assert type(make("oxo.mcts")) is RandomAgent


@pytest.mark.usefixtures("stranger")
def test_an_incomplete_entry_is_named():
    with pytest.raises(TypeError, match="'half_entry' of the game 'half' has no HEURISTICS"):
        make_game("half")


def test_a_stranger_brings_a_collection(tmp_path):
    code = "import sys\n\n\ndef entry(name):\n    return {'oxo': sys.modules[__name__]}[name]\n"
    with installed(tmp_path, {"zoo": STRANGER + code}, "agents.game_collections"):
        assert make_game("zoo:oxo(cells=X........)") == TicTacToe("X........")
        with pytest.raises(ValueError, match=r"one of carcassonne, .*, zoo:NAME, got 'zo:oxo'"):
            make_game("zo:oxo")


def test_setups_are_games():
    text = "carcassonne(num_players=3, num_meeples=5, tiles=small, deterministic=True)"
    assert Setup(3, 5, "small", known_order=True)(8) == make_game(text, seed=8)


NAMES_OF_THE_FIRST_RELEASE = """
agents: CHANCE EAMCTS ESMCTS Expectimax Formula ForwardModel MCTS PythonForwardModel RandomAgent Rng
agents: SIEAMCTS StarMinimax TERMINAL UCB1 make
agents.arena: play_match plies_of round_robin
agents.backends: backend
agents.evaluation: evaluate
agents.experiment: run_experiment
agents.game: replay
agents.league: compare league ratings
agents.mcts: MCTS
agents.testing: check_forward_model
carcassonne_env: CarcassonneModel PolicyAgent TwoStepAgent env
carcassonne_env.gymnasium_env: CarcassonneEnv
carcassonne_env.pettingzoo_env: CarcassonneAECEnv
carcassonne_env.records: final_scores
carcassonne_env.vector_env: CarcassonneVectorEnv
fop_env: FopModel env
fop_env.gymnasium_env: FopEnv
fop_env.pettingzoo_env: FopAECEnv
"""
"""What the README of release 0.1 imports or names."""


@pytest.mark.parametrize("line", NAMES_OF_THE_FIRST_RELEASE.split("\n")[1:-1])
def test_names_of_the_first_release_are_kept(line):
    module, names = line.split(": ")
    for name in names.split():
        assert hasattr(import_module(module), name)
