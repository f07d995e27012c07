"""Carcassonne as a Gymnasium environment for one learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_range
from agents.env_base import GymnasiumBase, Observation

from .episode import METADATA, Episode
from .model import ALL_SEATS, CarcassonneModel
from .players.opponents import RANDOM, as_opponent, begun, turn_of
from .variant import Variant


@dataclass(eq=False, repr=False)
class CarcassonneEnv(Episode, GymnasiumBase[CarcassonneModel]):
    """Carcassonne: place tiles and meeples to score as many points as possible.

    ## Description
    The tiles of the base game are drawn one at a time. The player places each tile next to the
    tiles on the board, so that all touching sides match. The player may then put a meeple on one of
    the tile's features: a city, a road, a cloister or a farm. A completed feature scores and gives
    its meeples back. Farms and incomplete features score at the end of the game.

    ``Carcassonne-1p-1m-d``, ``Carcassonne-1p-1m-s``, ``Carcassonne-1p-3m-d`` and
    ``Carcassonne-1p-3m-s`` are games for one player with 1 or 3 meeples and one tile of each of the
    24 types. The order of the tiles is known from the start (d) or drawn by chance (s).
    ``Carcassonne-2p-7m-s`` is the base game of 72 tiles for two players, in which an opponent plays
    the other seat. ``Carcassonne/1p-1m-d-v0`` and so on are the same with a version.

    ## Action Space
    The action space depends on ``action_mode``. Let W be the board size, or without one the number
    of tiles + 2.

    - ``"flat"``: ``Discrete(W * W * 4 * 9)`` (24,336 actions with 24 tiles). An action is
      ``((row * W + column) * 4 + rotation) * 9 + slot``.
    - ``"two_step"``: ``Discrete(W * W * 4 + 9)`` (2,713 actions with 24 tiles). Each turn has two
      steps. The first action is ``(row * W + column) * 4 + rotation``, the second
      ``W * W * 4 + slot``.
    - ``"index"``: ``Discrete((2 * tiles + 2) * 36)``. An action is an index into the list of legal
      actions, which is part of the observation.

    Row and column address a cell in a window of W by W cells. The start tile lies in row and column
    ``W // 2``, and row 0 is the northernmost. A board that grows beyond an edge of the window
    continues at the opposite edge. No two cells of a game share a place in the window. Rotation
    counts quarter turns clockwise; of rotations that make the same tile, only the smallest is
    legal. Slot 0 places no meeple. Slots 1 to 8 place a meeple on that segment of the tile, in the
    order of ``carcassonne_env.tiles``: cities, roads, cloister, farms.
    ``model_action`` converts an action to the model's action, and ``env_action`` converts it back:

    >>> env = CarcassonneEnv()
    >>> observation, info = env.reset(options={"order": "BACEFGHIJKLMNOPQRSTUVWX"})
    >>> env.model.decode_action(env.model_action(((14 * 26 + 13) * 4 + 0) * 9 + 1))
    Move(x=0, y=-1, rotation=0, target=('cloister',))

    The mask of legal actions is in the observation, in ``info["action_mask"]`` and in
    ``action_masks()``. The argument ``illegal_action`` determines the effect of an illegal action:
    with ``"terminate"`` it ends the episode, with ``"noop"`` nothing happens in the game, and with
    ``"raise"`` it raises an exception. In the first two cases ``info["illegal_action"]`` is True,
    and the reward is negative, see Rewards.

    ## Observation Space
    A ``Dict``:

    - ``observation``: int8[24, W, W] of 0 and 1. Each plane marks cells of the window:

      - 0 to 11: tiles with a city (0 to 3), a road (4 to 7) or a farm (8 to 11, "field" in the
        names of planes) on their side N, E, S or W.
      - 12: tiles with a cloister. 13: tiles with a shield.
      - 14 to 17: own meeples on a city, road, cloister or farm. 18 to 21: meeples of other players.
      - 22: open cells, which are the empty cells next to a tile. 23: cells where the current tile
        fits.
      - 24, with ``"two_step"`` only: the cell chosen in the first step. Planes 0 to 13 then show
        the tile as if it lay there, plane 22 is that of the first step, and plane 23 is 0.

      ``carcassonne_env.encoding.PLANES`` lists the names of planes 0 to 23.

    - ``action_mask``: int8[number of actions], 1 for legal actions and 0 for others. All entries
      are 0 when the game is over.
    - ``vector``: float32[49 + 3 * players] (4 more with ``"two_step"``) in [0, 1]. It holds in this
      order:

      - 24 entries: the type of the current tile (one-hot).
      - 24 entries: the probability of each type that it is drawn next from the bag.
      - 3 entries for each player, the learner first: the meeples in hand divided by the meeples at
        the start, the score and the virtual score divided by the maximum score (at most 1).
      - 1 entry: the number of tiles in the bag divided by the number of ``tiles``.
      - 4 entries, with ``"two_step"`` only: the chosen rotation (one-hot; 0 in the first step).

    - ``actions``, with ``"index"`` only: int8[rows, 5]. Row i describes action i: x and y
      (cells to the east and to the north of the start tile), rotation, slot, and the kind of
      feature under the meeple (0 none, 1 city, 2 road, 3 cloister, 4 farm). Rows after the last
      legal action are 0.
    - ``features``, with ``observation="features"`` only: float32[41 * players + 1], the terms of
      ``model.outlook_terms()`` in their units, the learner's first and then those of the other
      players in the order of their seats; and at last the share of the tiles that are still in the
      bag. ``carcassonne_env.outlook.TERMS`` lists the names of the terms. In the second of two
      steps, they are still those before the tile is placed.
    - ``afterstates``, with ``observation="features"`` and ``"index"`` only: float32[rows,
      41 * players]. Row i has the terms in the position after action i and before the next
      draw. After the last action of a game, the term "scored" is the final score. Rows after the
      last legal action are 0.

    With ``observation="scaled_features"``, the terms in ``features`` and ``afterstates`` are
    divided by ``carcassonne_env.outlook.SCALES`` and cut off at -1 and 1. All numbers of the
    observation are then in [-1, 1], but for ``actions``. Hardly any position has a larger term.

    With ``observation="planes"`` or ``"flat"``, ``observation`` has planes and vector in one array,
    for networks with one input, and there is no ``vector``. The mask stays an entry of its own. The
    array is float32 of numbers in [0, 1]:

    - ``"planes"``: [planes + numbers of the vector, W, W]. After the planes, each number of the
      vector is one more plane, the same in all cells.
    - ``"flat"``: [planes * W * W + numbers of the vector], one after the other.

    With ``observation="tiles"``, ``observation`` is int8[tiles, 6] in place of planes: a row for
    each tile on the board, for networks with attention. The columns are its type (1 to 24),
    rotation, x, y (as in ``actions``), the slot of its meeple and the meeple's player (1 the
    learner, 2 the next seat, ...; both 0 for none). The tiles are in the order of play; in the
    second of two steps, the last one is the current tile at the chosen cell. Rows after the last
    tile are 0.

    The observation does not contain the order of the tiles, which planners know in deterministic
    games.

    ## Starting State
    The start tile D lies in the middle with its city to the north. The first tile is drawn, and the
    players who come before the learner have moved. ``reset`` takes two options. ``tiles`` is a tile
    set that includes the start tile and has at most as many tiles as the environment. ``order``
    is the order of the tiles as letters, such as "ABC...", which planners then know.

    ## Rewards
    - ``reward="score"`` (default for one player): the points that the learner gained since the
      previous step. The sum over an episode is the final score.
    - ``"final"`` (default for more players): 0 before the end. At the end, the final score divided
      by the maximum score; with more players, the lead over the best other score divided by the
      maximum score.
    - ``"win"``: 0 before the end. At the end, 1 for the only best score, 0 for a shared best score,
      -1 otherwise.
    - ``"virtual"``: the gain in virtual score since the previous step; with more players, the gain
      in lead over the best other virtual score. The sum over an episode is the final score, or the
      final lead in points. Unlike ``"score"``, it shows at once what a meeple is worth, from which
      learners learn faster.

    An illegal action never pays. With ``illegal_action="terminate"``, it ends the episode, and no
    legal play from the same position has a lower return. With ``"noop"``, every illegal action adds
    its negative reward to the return. The reward of an illegal action is -1, with two exceptions:

    - ``reward="virtual"``: the action also takes back what the episode has gained so far. The
      return is then -1 with one player, and ``-forfeit`` with more players.
    - ``reward="final"`` with more players and a ``max_score`` below ``forfeit``: the reward is
      ``-forfeit / max_score``.

    With more players, ``forfeit`` is the default of ``max_score``. No player can be so many points
    behind.

    ## Episode End
    The episode terminates when no tile can be drawn, and with ``"terminate"`` after an illegal
    action, which changes neither the position nor the mask. With few tiles and a late seat, the
    other players may end the game before the learner's first turn. The mask of ``reset`` is then 0,
    and a step with any action ends the episode with the reward of the final position.

    The registered ids truncate episodes after 576 steps. Legal games have at most 142, but with
    ``"noop"`` a learner may repeat an illegal action forever. ``gymnasium.make`` and ``make_vec``
    take another limit as ``max_episode_steps``. The class itself never truncates. Whoever repeats
    illegal actions up to the limit has a lower return than any legal play.

    ## Information
    ``reset`` and every ``step`` return the same keys, and all values are numbers or arrays:

    - ``action_mask``: the same array as in the observation.
    - ``scores``, ``virtual_scores``: int64[players], points. A virtual score is the score that a
      player would have if the game ended now.
    - ``score_breakdown``: int64[players, 4], the scores by kind of feature: city, road, cloister,
      farm.
    - ``meeples``: int64[players], meeples in hand.
    - ``discarded``: number of tiles discarded so far because they fitted nowhere.
    - ``current_tile``: type of the current tile, 0 (A) to 23 (X); -1 at the end.
    - ``illegal_action``: whether the last action was illegal.
    - ``cut_off``, with ``board_size`` only: number of cells next to a tile that lie outside the
      square.

    ``info="full"`` adds ``tile``, the letter of the current tile ("" at the end), and ``points``,
    the scores by kind of feature as a dictionary; with more players, as a tuple with the dictionary
    of each player.

    ## Arguments
    The registered ids set some of the first four arguments.

    - num_meeples: Meeples of each player, 0 to 255; 3 by default.
    - tiles: "small", "base", or a mapping from letters to counts that includes the start tile.
    - deterministic: Whether the order of the tiles is fixed at the start of an episode; True by
      default.
    - num_players: Number of players, 1 (default) to 5.
    - seat: The learner's seat, 0 (default) to num_players - 1.
    - opponent: The player of the other seats: "random", another specification for ``agents.make``
      such as "greedy" or "mcts(iterations=100)"; an ``agents.Agent``; another object whose method
      ``act(model)`` returns an action of the model; a function of the model that does so; or a
      learned policy with ``predict(observation, ...)``, which sees what a learner in its place
      would see (for policies that learned with other arguments or with wrappers, there is
      ``carcassonne_env.PolicyAgent``). ``reset(seed=...)`` gives the player of a specification a
      new seed, and agents begin as copies with the seed that they have, so that the same seed gives
      the same episodes. If the attribute ``opponent`` is set, the new one plays from the next reset
      on.
    - action_mode: "flat", "two_step" or "index". Planners play the same in all modes: with
      ``"two_step"`` they plan the placement and the meeple at once.
    - board_size: Side, in cells, of a square around the start tile, 3 or more. **It changes the
      rules**: no tile may lie outside the square, and a tile that fits nowhere inside is discarded.
      None (default) sets no bound.
    - observation: "full"; "features" to add the terms of the outlook, "scaled_features" to add
      them in [-1, 1]; "planes" or "flat" for one array; "tiles" for rows of tiles.
    - reward: "score", "final", "win" or "virtual"; the default is under Rewards.
    - illegal_action: "terminate", "noop" or "raise".
    - info: "numbers", or "full" to add texts and dictionaries.
    - max_score: The number of points by which scores in observations and final rewards are divided;
      None (default) takes that of ``CarcassonneModel``.
    - max_rows: With ``action_mode="index"`` only, the number of rows of ``actions`` and
      ``afterstates``. None (default): as many as actions, of which few are legal at once. Legal
      actions beyond the last row stay legal.
    - render_mode: None (default), "ansi" (text), "rgb_array" (uint8[720, 720, 3]) or "human" (a
      window); the last two need the extra ``render``.
    - theme: Colours of the pictures, "light" or "dark".

    ## Deviations from the printed rules
    Placing the tile and placing the meeple are one action. With ``"two_step"`` they are two.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``get_state`` saves a position, and
    ``set_state`` restores it. All copies share an opponent that is no ``Agent``. ``model`` is the
    forward model that planners search. You may read and clone it, but must not apply actions to it.

    ## Version History
    - Unversioned: first release.
    """

    num_meeples: int = 3
    tiles: str | Mapping[str, int] = "small"
    deterministic: bool = True
    _: KW_ONLY
    seat: int = 0
    opponent: Any = "random"

    metadata = METADATA
    _kept = *GymnasiumBase._kept, "_account", "seat", "max_score", "_at_play"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("seat", self.seat, 0, self.num_players - 1)
        self._take_opponent()
        self._set_spaces(self.num_players)

    def _take_opponent(self) -> None:
        self.opponent = as_opponent(self.opponent, self)
        self._begins_as = self.opponent  # at every reset with a seed
        self._at_play: Any = self.opponent

    def _checked_options(self, options: Mapping[str, Any]) -> Variant:
        if self.opponent is not self._begins_as:  # somebody has set it
            as_opponent(self.opponent, self)  # raises
        return super()._checked_options(options)

    def _begin(self, is_new_stream: bool, asked: Variant) -> None:
        is_new = self.opponent is not self._begins_as
        if is_new:
            self._take_opponent()
        super()._begin(is_new_stream, asked)
        if is_new_stream or is_new:
            self._at_play = begun(self._begins_as, self.np_random)

    def _decider(self) -> int:
        return self.seat if self._at_play == RANDOM else ALL_SEATS

    def _turn_of_others(self) -> Sequence[int]:
        return turn_of(self._at_play, self.model)  # not "random", whose moves `_draw` has played

    def _observe_with_info(self, *, is_illegal: bool = False) -> tuple[Observation, dict[str, Any]]:
        # An illegal action leaves the mask as it is.
        observation, info = self.encoder.observe_with_info(self._model, self.seat)
        return observation, self._with_more(info, is_illegal)

    def _mask(self, player: int, is_to_move: bool) -> NDArray[np.int8]:
        return self.encoder.mask(self.model)

    def _check_state(self, model: Any, *others: Any) -> None:
        names = ("num_players", "num_meeples", "is_two_step", "board_size")
        mine = {**vars(self), "is_two_step": self.action_mode == "two_step"}
        if not isinstance(model, CarcassonneModel) or any(
            getattr(model, name) != mine[name] for name in names
        ):
            raise ValueError(f"the state is of another variant of the game: {model!r}")
        self.check_size(model.num_tiles)
        *_, seat, max_score, _ = others
        if (seat, max_score) != (self.seat, self.max_score):
            raise ValueError(
                f"the state is of another environment: seat={seat!r}, max_score={max_score!r}, "
                f"this has {self.seat} and {self.max_score}"
            )

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Returns to a state that `get_state` of this or an equal environment returned.

        Raises:
            TypeError: If it is no state.
            ValueError: If the state has more tiles than this environment, or differs in the number
                of players or meeples, in ``two_step``, in the board size, in the seat or in
                ``max_score``.
        """
        super().set_state(state)
        if self._account.reward != self.reward:  # as the other environment's rewards differ
            self._open_account(self.forfeit)
            self._rewards()  # counts what was gained before
