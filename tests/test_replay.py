"""Saved games, and the pages on which they are shown."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from agents import MCTS, Expectimax, Planner
from agents.game import play_game
from agents.playing.analysis import MoveLoss
from browser import data_of, shown
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame, analyse_game, order_of, replay
from carcassonne_env.replaying.analysis import lost_points, move_of, worst
from carcassonne_env.replaying.pictures import save_animation, save_picture

HOSTILE = "<script>alert('1')</script>"


def game_of(
    name: str = "2p-3m-small-s", players: tuple[str, ...] = ("a", "b"), by: tuple[str, ...] = ()
) -> SavedGame:
    setup = Setup.named(name)
    record = play_game(setup, by or ["greedy"] * setup.num_players, 3)
    return SavedGame.of(setup, players, [ply.action for ply in record.plies], 3)


# --- Saved games ---


@pytest.mark.parametrize("name", ["2p-3m-small-s", "2p-3m-small-d", "2p-7m-base-s"])
def test_a_game_is_read_back(name, tmp_path):
    game = game_of(name, ("Zoë", "木 🎲"))
    game.save(tmp_path / "game.json")
    again = SavedGame.load(tmp_path / "game.json")
    assert again == game
    assert again.setup.name == name
    positions = list(again.positions())
    assert len(positions) == len(game.actions) + 1
    assert positions[0] == Setup.named(name)(3)
    assert positions[-1].is_terminal()
    assert positions[-1].scores == game.scores
    assert max(game.scores) > 0


GONE = object()


NO_GAME = [
    ("version", GONE, "the file must have the member 'version'"),
    ("format", "chess", "format must be 'carcassonne-game', got 'chess'"),
    ("version", 2, "version must be 1, got 2"),
    ("version", True, "version must be 1, got True"),
    ("version", 1.0, "version must be 1, got 1.0"),
    ("setup", 1, "setup must be a JSON object, got 1"),
    ("setup name", "6p-3m-small-s", "like '2p-7m-base-s', got '6p"),
    ("setup name", "2p-03m-small-s", "like '2p-7m-base-s', got"),
    ("setup name", "2p-٣m-small-s", "like '2p-7m-base-s', got"),
    ("setup name", f"2p-{'9' * 5000}m-small-s", "got '2p-99"),
    ("setup name", None, "setup's name must be a text, got None"),
    ("setup name", "1p-3m-small-s", "players must be 1 names, got 2"),
    ("setup name", "2p-3m-small-d", "order must be the letters"),
    ("setup order", "AB", "order must be None in the setup"),
    ("players", "ab", "players must be a list, got 'ab'"),
    ("players", ["a", 1], "players must be names, each a text"),
    ("players", ["a", "\ud800"], r"players must be .* got .*ud800"),
    ("players", ["\udcff", "b"], r"players must be .* got .*udcff"),
    ("players", ["\x1b[2J", "b"], r"without control characters, got .*x1b"),
    ("actions", None, "actions must be a list, got None"),
    ("actions", [*game_of().actions, 0], "actions must end with the game, which is over after"),
    ("actions 7", -1, r"actions\[7\] must be a legal action"),
    ("actions 7", 10**99, r"actions\[7\] must be a legal"),
    ("actions 0", True, r"actions\[0\] must be a possible draw"),
    ("actions 3", 1.5, r"actions\[3\] must be .* got 1\.5"),
    ("scores", [1, 2], r"scores must be \[\d+, \d+\].*got \[1, 2\]"),
]


@pytest.mark.parametrize(("place", "value", "message"), NO_GAME)
def test_files_that_hold_no_game_are_refused(place, value, message, tmp_path):
    path, file = tmp_path / "game.json", json.loads(game_of().to_json())
    *outer, last = (int(key) if key.isdigit() else key for key in place.split())
    members = file[outer[0]] if outer else file
    members[last] = value
    if value is GONE:
        del members[last]
    path.write_text(json.dumps(file), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"game\.json is not a saved game: .*{message}"):
        SavedGame.load(path)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"9" * 9999])
def test_files_that_hold_no_json_object_are_refused(data, tmp_path):
    path = tmp_path / "game.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is not a saved game"):
        SavedGame.load(path)


# --- Analysis ---


def test_the_loss_is_the_difference_of_two_values_and_is_shown():
    game = game_of(by=("greedy", "random"))
    losses = list(analyse_game(game, "greedy"))
    assert [move.number for move in losses] == list(range(1, 24))
    for move, (model, action) in zip(losses, game.moves(), strict=True):
        result = Expectimax(1, "vs").search(model)
        values = dict(zip(result.actions.tolist(), result.values * model.max_score(), strict=True))
        best = max(values.values())
        assert move.loss == pytest.approx(best - values[action], abs=1e-9)
        assert move.value == best if len(values) > 1 else math.isnan(move.value)
        others = [value for other, value in values.items() if other != action]
        is_best = others and move.loss == 0 and not math.isnan(move.margin)
        assert not is_best or move.margin == pytest.approx(best - max(others))
        assert move.played == model.decode_action(action)
        if move.better is not None:
            assert values[model.encode_action(move.better)] == best
        assert (move.better is None) == (move.loss == 0)
        assert (move.player, move.tile) == (model.current_player(), model.current_tile)
        assert move.standard_error == 0
    assert sum(move.margin > 0 for move in losses) > 1
    assert all(math.isnan(move.margin) for move in losses if move.better)
    rest = list(analyse_game(game, "greedy", first=9))  # of equally good moves it may take others
    assert [(m.number, m.loss) for m in rest] == [(m.number, m.loss) for m in losses[8:]]
    with pytest.raises(ValueError, match=r"first must be an integer in \[1, 23\], got 24"):
        analyse_game(game, "greedy", first=24)
    page = replay(game, reversed(losses)).to_html()
    for move, loss in zip(losses, data_of(page)["losses"], strict=True):
        assert loss["points"] == round(move.loss, 2)
        assert (move.better is None) == (loss["better"] is None)
        if move.better:
            assert (loss["better"]["x"], loss["better"]["y"]) == move.better[:2]
            assert f'id="tile-{move.tile}-{move.better.rotation}"' in page
    (first, _), (second, _) = lost_points(losses, 2)
    assert first == 0
    assert second == pytest.approx(sum(round(move.loss, 1) for move in losses))
    assert second > 20
    assert [move.loss for move in worst(losses)] == sorted(
        (move.loss for move in losses if move.loss), reverse=True
    )


def test_a_single_player_loses_points_of_the_score():
    losses = list(analyse_game(game_of("1p-3m-small-d", ("a",), ("random",)), "greedy"))
    assert sum(move.loss for move in losses) > 10


def test_an_analysis_by_tree_search_has_errors_and_is_determined_by_the_seed():
    game = game_of(by=("random", "random"))
    planner = "mcts(c=0.1, iterations=200)"

    def first(seed):
        return list(islice(analyse_game(game, planner, seed, searches=3), 5))

    losses = first(1)
    assert losses == first(1) != first(2)
    bad = worst(losses)
    assert bad
    assert all(0 < move.standard_error < 50 for move in bad)
    alone = worst(islice(analyse_game(game, MCTS(200, c=0.1, seed=0), searches=1), 5))
    assert alone
    assert all(math.isnan(move.standard_error) for move in alone)


def test_moves_that_were_never_tried_have_no_loss():
    losses = list(islice(analyse_game(game_of(), "mcts(iterations=2)", searches=2), 5))
    assert any(math.isnan(move.loss) for move in losses)
    assert all(math.isnan(move.difference) for move in losses if math.isnan(move.loss))
    shown = data_of(replay(game_of(), losses).to_html())["losses"]
    assert any(loss["points"] is None for loss in shown)
    assert all(map(math.isfinite, lost_points(losses, 2)[0]))


def test_reasons_are_told_if_they_explain_the_loss():
    game, bad = game_of(by=("greedy", "random")), 0
    for move in analyse_game(game, "expectimax-1-outlook"):
        total = sum(reason.points for reason in move.reasons)
        assert not move.reasons or total == pytest.approx(move.loss, rel=0.25, abs=1)
        bad += move.loss > 2 and bool(move.reasons)
        model, action = game.moves()[move.number - 1]
        if move.reasons:
            better = model.encode_action(move.better)
            for lost, is_told in ((total, True), (total / 3 - 1, False), (2 * total + 1, False)):
                loss = MoveLoss(move.number, move.player, action, better, lost, 0.0)
                assert bool(move_of(model, loss).reasons) == is_told
    assert bad > 3


class Noise(Planner):
    """Values all actions alike, but for chance: 1 point of standard deviation."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def search(self, game: Any) -> Any:
        actions = game.legal_actions()
        means = self.rng.normal(0.0, 1 / game.max_score(), len(actions))
        best = int(means.argmax())
        visits = np.ones(len(actions))
        return SimpleNamespace(
            action=actions[best], value=means[best], actions=actions, values=means, visits=visits
        )


@pytest.mark.parametrize("searches", [2, 3, 10])
def test_noise_alone_makes_no_difference(searches):
    """Neither losses cut at 0 nor the choice of the better move by its own value make a mean."""
    game = game_of()
    seeds = range(60 // searches)  # as many searches in all
    moves = [m for i in seeds for m in analyse_game(game, Noise(i), searches=searches)]
    differences = np.array([move.difference for move in moves])
    error = differences.std() / math.sqrt(len(moves))
    assert abs(differences.mean()) < 3 * error < 0.15
    assert np.mean([move.loss for move in moves]) > 2 * error  # as it is shown, a move at a time
    assert all(move.loss == max(0, move.difference) for move in moves)
    assert all((move.better is None) == (move.loss == 0) for move in moves)


def test_what_is_summed_is_what_is_shown():
    first = next(analyse_game(game_of(), "greedy"))
    shown = [replace(first, better=first.played, difference=1.26, standard_error=0.3)] * 2
    hidden = [replace(first, better=None, difference=-5.0, standard_error=9.0)]
    (lost, error), none = lost_points(shown + hidden, 2)
    assert (round(lost, 9), round(error, 9)) == (2.6, round(math.sqrt(0.18), 9))
    assert none == (0, 0)


class Narrow(Planner):
    """Each search tries the first action and one that it prefers; the last action is the best."""

    def search(self, game: Any) -> Any:
        actions = game.legal_actions()
        self.best = len(actions) - 1 if getattr(self, "best", 0) == 1 else 1
        means = np.full(len(actions), math.nan)
        means[[0, self.best]] = 0.0, self.best / 100
        visits = np.nan_to_num(means + 1)
        best = actions[self.best]
        return SimpleNamespace(action=best, actions=actions, values=means, visits=visits)


def test_of_actions_that_few_searches_tried_the_better_one_is_told():
    game = game_of()
    losses = analyse_game(game, Narrow(), searches=2)
    for (model, _), move in zip(game.moves(), losses, strict=True):
        if (last := len(actions := model.legal_actions()) - 1) > 1:
            assert move.better in (None, model.decode_action(actions[last]))
            assert (move.better is None) == (move.played == model.decode_action(actions[last]))


def test_an_analysis_can_be_stopped_in_a_search():
    calls = iter([False] * 3 + [True] * 9)
    losses = analyse_game(game_of(), "mcts(time_limit=50)", is_stopped=lambda: next(calls))
    assert list(losses) == []


@pytest.mark.parametrize(
    ("planner", "searches", "error", "message"),
    [
        ("random", 4, TypeError, "planner must be an agent that searches, got 'random'"),
        ("nobody", 4, ValueError, "agent must be a known name"),
        ("greedy", 0, ValueError, "searches must be an integer in \\[1, 1000\\], got 0"),
        ("oep(iterations=2)", 4, ValueError, "planner must value every move, .* got oep"),
    ],
)
def test_a_bad_analysis_is_refused(planner, searches, error, message):
    with pytest.raises(error, match=message):
        next(analyse_game(game_of(), planner, searches=searches))


# --- Pictures ---


def test_a_game_is_an_animation_of_pictures_of_one_size(tmp_path):
    whole = game_of()
    game = SavedGame(whole.setup, whole.players, whole.actions[:8])
    save_animation(game, tmp_path / "game.gif", width=90, seconds=0.2)
    with Image.open(tmp_path / "game.gif") as gif:
        assert (gif.n_frames, gif.size[0]) == (5, 90)
        times, pictures = [], set()
        for frame in range(5):
            gif.seek(frame)
            times.append(gif.info["duration"])
            pictures.add(gif.convert("RGB").tobytes())
    assert times == [200] * 4 + [1000]
    assert len(pictures) == 5
    save_picture(game, 2, tmp_path / "game.svg")
    drawn = re.findall(r'href="#tile-[A-X]-\d"', (tmp_path / "game.svg").read_text())
    assert len(drawn) == 4  # one of them in hand
    with pytest.raises(ValueError, match=r"move must be an integer in \[0, 4\], got 5"):
        save_picture(game, 5, tmp_path / "game.svg")
    for seconds in (0, 200):  # a file counts up to 655, and five times as many are shown
        with pytest.raises(ValueError, match=r"seconds must be a finite number in \(0, 100\]"):
            save_animation(game, tmp_path / "game.gif", seconds=seconds)
    with pytest.raises(ValueError, match=r"'\.txt'; allowed: \.gif"):
        save_animation(game, tmp_path / "game.txt")


# --- Replays ---


@pytest.mark.parametrize("name", ["2p-3m-small-s", "2p-3m-small-d", "2p-7m-base-s"])
def test_a_replay_has_every_move(name):
    game = game_of(name)
    page = replay(game).to_html()
    data = data_of(page)
    models = [model for model in game.positions() if not model.is_chance_node()]
    step = {}
    for changes, model in zip(data["steps"], models, strict=True):
        step |= changes
        assert step["scores"] == list(model.scores)
        assert step["in_hand"] == list(model.meeples)
        assert step["tile"] == model.current_tile
        assert len(step["meeples"]) == len(model.placed_meeples)
    assert data["board"] == [list(tile) for tile in models[-1].board]
    assert [line["placement"]["player"] for line in data["record"][:3]] == [0, 1, 0]
    assert step["forecast"] == step["scores"]
    defined = set(re.findall(r'id="tile-([A-X]-\d)"', page))
    assert defined >= {f"{tile.tile}-{tile.rotation}" for tile in models[-1].board}
    assert defined >= {f"{model.current_tile}-0" for model in models[:-1]}
    alone = Setup(1, 3, "small", game.setup.known_order)
    begun = SavedGame(alone, ["a"], [], order_of(alone(3)))
    assert len(data_of(replay(begun).to_html())["steps"]) == 1


def test_a_replay_stands_alone():
    page = replay(game_of("2p-7m-base-s")).to_html()
    assert len(page.encode()) < 175_000
    assert not re.search(r'class="[^"]*\blive\b', page)  # what only the live page has
    assert not re.search("^ *//| // ", page, re.MULTILINE)  # no comments of scripts
    assert not re.search(r"""(?:src|href)=["'](?!#)|@import|url\((?!#)""", page)
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_names_are_escaped(tmp_path):
    game = game_of(players=(HOSTILE, "</script><!--"))
    page = replay(game).to_html(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").read_text(encoding="utf-8") == page
    assert page.count("<script") == page.count("</script>") == 3
    assert "<!--" not in page
    assert data_of(page)["seats"] == [{"name": HOSTILE}, {"name": "</script><!--"}]
    frame = replay(game)._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


@pytest.mark.slow
@pytest.mark.parametrize(("num_actions", "told"), [(None, "The game is over."), (8, "")])
def test_a_browser_shows_the_last_position(num_actions, told, tmp_path):
    """Of a game that was left before a draw, too."""
    whole = game_of(players=(HOSTILE, "b"))
    game = SavedGame(whole.setup, whole.players, whole.actions[:num_actions])
    page = replay(game).to_html().replace("\nshow(linked());", "\nshow(end);")
    elements = shown(page, tmp_path)
    scores = re.findall(r'class="score"[^>]*>(\d+)<', elements)
    assert scores == [str(score) for score in game.scores]
    assert re.findall(r'id="told"[^>]*>([^<]*)<', elements) == [told]
    assert "&lt;script&gt;alert" in elements


# --- Commands ---


@pytest.fixture
def run(tmp_path, monkeypatch):
    """``run(*arguments)`` runs the command in this process."""
    from carcassonne_env.cli.main import main
    from commands import run_here

    monkeypatch.chdir(tmp_path)
    return lambda *arguments: run_here(main, arguments)


def test_a_game_is_saved_and_replayed(run):
    from commands import assert_refused

    options = ["--tiles", "small", "--meeples", 3, "--seed", 3]
    for more in ([], ["--known-order"]):
        done = run("play", "greedy", "greedy", *options, *more, "--save", "new/game.json").checked()
        assert "Game: " in done.out
        name = f"2p-3m-small-{'d' if more else 's'}"
        assert SavedGame.load("new/game.json") == game_of(name, ("greedy 1", "greedy 2"))
        done = run("replay", "new/game.json", "--out", "page.html")
        assert (done.code, done.out) == (0, "Page: page.html\n")
        page = Path("page.html").read_text(encoding="utf-8")
        assert len(data_of(page)["record"]) == len(game_of(name).moves())
    analysed = "new/game.json", "--analyse", "greedy", "--picture", "a.svg", "--move", 3
    done = run("replay", *analysed).checked()
    assert re.search("greedy.* 0.0 .* 0 ", done.out)
    assert "Where points were lost" in done.out
    assert done.out.endswith("Page: replay.html\nPicture: a.svg\n")
    assert "tile-" in Path("a.svg").read_text(encoding="utf-8")
    assert run("replay", "new/game.json", "--language", "de").code == 0
    assert 'lang="de"' in Path("replay.html").read_text(encoding="utf-8")
    game = SavedGame.load("new/game.json")
    SavedGame(game.setup, game.players, [], game.order).save("start.json")
    done = run("replay", "start.json", "--gif", "a.gif")
    assert (done.code, done.out) == (0, "Page: replay.html\nAnimation: a.gif\n")
    assert Path("a.gif").read_bytes().startswith(b"GIF89a")
    assert_refused(run("replay", "new/game.json", "--move", 24), "move must be an int")
    for option in ("--picture", "--gif"):
        done = run("replay", "new/game.json", "--analyse", "greedy", option, "a.xyz")
        assert_refused(done, r"cannot save a picture as '\.xyz'; allowed: \.")
        assert "Points lost" not in done.out
    done = run("replay", "new/game.json", "--language", "la")
    assert_refused(done, r"language must be one of \('de', 'en'\), got 'la'")
    done = run("replay", "start.json", "--out", "new/../start.json")
    assert_refused(done, r"the file of the game must stay, got 'new/\.\./start\.json'")
    assert SavedGame.load("start.json").actions == ()
    Path("bad.json").write_text("{}", encoding="utf-8")
    assert_refused(run("replay", "bad.json"), "bad.json is not a saved game")


def test_an_interrupted_analysis_shows_what_it_has(run, monkeypatch):
    def interrupted(*given, **options):
        yield from islice(analyse_game(*given, **options), 6)
        raise KeyboardInterrupt

    monkeypatch.setattr("carcassonne_env.replaying.analyse_game", interrupted)
    game_of(by=("greedy", "random")).save("game.json")
    done = run("replay", "game.json", "--analyse", "greedy").checked()
    assert "was interrupted" in done.out
    losses = data_of(Path("replay.html").read_text(encoding="utf-8"))["losses"]
    assert [loss["number"] for loss in losses] == list(range(1, 7))
