"""Many games of Carcassonne at once: a Gymnasium vector environment that steps games in C."""

from __future__ import annotations

import copy
import inspect
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from agents.checks import check_choice, check_flag, check_range, is_integer
from agents.env_base import options_of
from agents.rng import Rng

from .batch import LEFT_OUT, Batch, Results
from .encoding import OBSERVATIONS
from .episode import decoded, texts_of
from .model import ALL_SEATS, CarcassonneModel
from .players.opponents import RANDOM, as_opponent, begun, turn_of
from .rewards import REWARDS
from .settings import ILLEGAL_ACTIONS, Settings
from .variant import Variant

Arrays = dict[str, Any]

SAMPLER = (0,)
"""With this key, the first seed gives `sample_actions` and ``np_random`` streams that neither games
nor rivals have."""
MAX_COUNT = 2**31 - 1
"""Maximum number of games, threads and steps: C counts them in 32 bits."""


@dataclass(eq=False, repr=False)
class CarcassonneVectorEnv(Settings, VectorEnv[Arrays, NDArray[np.int64], NDArray[Any]]):
    """A vector environment of ``num_envs`` games of ``CarcassonneEnv``.

    ``gymnasium.make_vec("Carcassonne-1p-3m-d", num_envs=1024)`` makes one. With the same seed, each
    game returns exactly the numbers of a single ``CarcassonneEnv``. Spaces, rewards and infos are
    those of ``CarcassonneEnv``, batched. As in Gymnasium's vector environments, an info ``key`` is
    an array, and ``_key`` is its mask. Every call returns new arrays, but see ``copy``. The action
    mask in the infos is the same array as in the observation.

    **Threads.** Only one thread at a time may use an environment. While a thread runs `step`,
    `sample_actions` or `play_randomly`, calls from other threads raise RuntimeError. Threads may
    freely use different environments and the copies that `model` returns. After a
    KeyboardInterrupt all threads have stopped, but only some of the games have been stepped: call
    `reset`.

    **Arguments.** Those that are not described here are those of ``CarcassonneEnv``. Every game has
    its own copy of an opponent that is an agent; any other object plays all games, so it must keep
    no state. Only "random" plays in C; all others play in Python, one game after the other.

    Args:
        num_envs: Number of games, 1 or more.
        self_play: Whether learners play all seats, so that there is no opponent, and ``seat`` has
            no effect. Each step is one action of the player to move, who sees the game from its own
            view. ``infos["current_player"]``, int64[num_envs], says who that is. The reward is that
            of the player who has just moved, and ``infos["rewards"]``, float64[num_envs, players],
            has those of all players; each row sums up over an episode as in PettingZoo.
        autoreset_mode: Determines when a finished game starts a new episode. "NextStep": at the
            next step, which ignores the game's action. "SameStep": at once; the last observation
            and info are in ``infos["final_obs"]`` and ``infos["final_info"]``. "Disabled": when
            ``reset`` is called with ``options={"reset_mask": bool[num_envs]}``.
        max_episode_steps: Number of steps after which an episode is truncated, as by
            ``gymnasium.wrappers.TimeLimit``; with ``self_play``, the steps of all players count.
            None or -1 sets no limit. ``gymnasium.make_vec`` hands over the limit of the id.
        observation: "full", "features", "scaled_features", "planes", "flat" or "tiles", see
            ``CarcassonneEnv``; or "none" for empty observations and infos, which is faster.
        num_threads: Number of threads that step the games. Results do not depend on it.
        copy: Whether observations are new arrays, which are the caller's. With False, as in
            Gymnasium's ``SyncVectorEnv``, they are the environment's, which changes them at the
            next call: read them, or copy what you keep. A step then writes only what changed, and
            is several times as fast. All other arrays are new.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument is out of range.
        MemoryError: If the system refuses the memory for the games.
    """

    num_envs: int = 1
    _: KW_ONLY
    seat: Any = 0  # None with self_play
    opponent: Any = "random"
    self_play: bool = False
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    max_episode_steps: int | None = None
    num_threads: int = 1
    copy: bool = True
    render_mode: None = None

    _threads = None  # close() reads it even if __init__ raised
    _submit = None  # runs a part of a step in another thread

    def __post_init__(self) -> None:
        self._check_own_settings()
        observation = self.observation
        self._is_observing = observation != "none"
        self.observation = observation if self._is_observing else "full"  # for the encoder
        super().__post_init__()
        self.observation = observation
        self._check_players()
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.single_action_space = self.new_action_space()
        seen = self.new_observation_space() if self._is_observing else spaces.Dict({})
        self.single_observation_space = seen
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = spaces.Dict(  # `batch_space` sorts the keys
            [(name, batch_space(space, self.num_envs)) for name, space in seen.spaces.items()]
        )
        self._make_games()
        self.seat = None if self.self_play else self.seat
        if self.num_threads > 1:
            self._threads = ThreadPoolExecutor(self.num_threads)
            self._submit = self._threads.submit
        num_parts = min(self.num_threads, self.num_envs)
        bounds = np.linspace(0, self.num_envs, num_parts + 1).astype(int).tolist()
        self._ranges = list(itertools.pairwise(bounds))

    def _check_own_settings(self) -> None:
        """Checks what a single environment does not have."""
        check_range("num_envs", self.num_envs, 1, MAX_COUNT)
        self.num_envs = int(self.num_envs)
        check_range("num_threads", self.num_threads, 1, MAX_COUNT)
        check_choice("observation", self.observation, (*OBSERVATIONS, "none"))
        check_choice("render_mode", self.render_mode, (None,))
        mode = getattr(self.autoreset_mode, "value", self.autoreset_mode)
        check_choice("autoreset_mode", mode, [each.value for each in AutoresetMode])
        self.autoreset_mode = AutoresetMode(mode)
        if self.max_episode_steps == -1:  # make_vec's number for no limit
            self.max_episode_steps = None
        if self.max_episode_steps is not None:
            check_range("max_episode_steps", self.max_episode_steps, 1, MAX_COUNT)
        check_flag("self_play", self.self_play)
        check_flag("copy", self.copy)

    def _check_players(self) -> None:
        if not (self.self_play and self.seat is None):
            check_range("seat", self.seat, 0, self.num_players - 1)
        self._begins_as = as_opponent(self.opponent, self)
        self._others_wait = self.opponent != RANDOM
        if self.self_play and self._others_wait:
            raise ValueError(f"with self_play, there is no seat for opponent={self.opponent!r}")

    def _make_games(self) -> None:
        self._results: Results | None = None  # of the last call
        self._players: list[Any] = [self._begins_as] * self.num_envs  # the opponents at play
        self._batch = Batch(
            self.variant,
            self.encoder,
            self.num_envs,
            ALL_SEATS if self.self_play else self.seat,
            REWARDS.index(self.reward),
            ILLEGAL_ACTIONS.index(self.illegal_action),
            self._others_wait,
            self.max_episode_steps or 0,
        )
        self._sampler = Rng(0)
        self._seeds = [-1] * self.num_envs
        self._has_started = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, Arrays]:
        """Starts episodes.

        Args:
            seed: A sequence with a seed for each game, or an integer s: game i then gets the seed
                s + i. None keeps the current random generators. The first one seeds ``np_random``,
                too, from which no game draws.
            options: ``tiles`` and ``order``, see ``CarcassonneEnv``; ``reset_mask``,
                bool[num_envs], marks the games to start (default: all).

        Returns:
            Observations and infos of all games. The masks ``_key`` of the infos are those of the
            games that were started.

        Raises:
            TypeError: If a seed or an option has the wrong type.
            ValueError: If the number of seeds is not the number of games, or an option has an
                invalid value.
            gymnasium.error.ResetNeeded: If the first call does not start all games.
            gymnasium.error.ClosedEnvironmentError: After ``close``.
            RuntimeError: If another thread is using the environment.
        """
        self._check_open()
        self._batch.check_idle()
        options = options_of(options)
        mask = self._checked_mask(options.pop("reset_mask", None))
        variant = self.variant_of(options)
        seeds = self._checked_seeds(seed)
        streams = {
            i: self._stream(seeds[i])
            for i in np.flatnonzero(mask).tolist()
            if seeds[i] is not None or not self._has_started  # the first reset starts all games
        }
        results = self._next_results()
        for i in range(self.num_envs):
            if mask[i]:
                if i in streams:
                    self._seeds[i], rng, self._players[i] = streams[i]
                    self._batch.seed(i, rng)
                self._start(i, results, variant)
            else:
                self._batch.show(i, results)
        if 0 in streams:
            stream = np.random.SeedSequence(seeds[0], spawn_key=SAMPLER)
            self._sampler, self._np_random = Rng(stream), np.random.default_rng(stream)
        self._has_started = True
        return dict(results.observations), self._infos(results, mask)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Arrays, NDArray[Any], NDArray[Any], NDArray[Any], Arrays]:
        """Plays an action in every game.

        Args:
            actions: int[num_envs].

        Returns:
            Observations; rewards, float64[num_envs], of the learner, or with ``self_play`` of the
            player who has just moved, in the units of ``reward``; terminations, bool[num_envs];
            truncations, bool[num_envs], by ``max_episode_steps``; infos.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, if an opponent raised an exception
                in the last step, or if a game is over and the autoreset mode is "Disabled".
            gymnasium.error.ClosedEnvironmentError: After ``close``.
            gymnasium.error.InvalidAction: If the actions are not in the action space, or if
                ``illegal_action="raise"`` and an action is illegal. No game has then been stepped.
            RuntimeError: If another thread is using the environment.
        """
        actions = self._checked_actions(actions)
        results = self._next_results()
        self._batch.step(actions, results, self._submit, self._ranges)
        if self._others_wait:
            for i in self._batch.waiting():
                self._play_others(i, results)
        final: Arrays = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP:
            for i in np.flatnonzero(results.terminations | results.truncations).tolist():
                self._keep_last(i, results, final)
                self._start(i, results)
        infos = self._infos(results, np.ones(self.num_envs, dtype=np.bool_)) | final
        ends = results.terminations, results.truncations
        return dict(results.observations), results.rewards, *ends, infos

    def step_games(self, games: NDArray[np.bool_], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Plays an action in some of the games, in which learners play all seats.

        This is for turns that other players take between two steps of a learner. It changes the
        rows of these games in the arrays that the last `reset` or `step` returned, but for the
        texts of ``info="full"``. A finished game starts a new episode at once.

        Args:
            games: bool[num_envs], these games.
            actions: int[num_envs]; those of other games have no effect.

        Returns:
            bool[num_envs], which games have ended.

        Raises:
            TypeError: If ``games`` is no array of this type.
            ValueError: Without ``self_play``, or if ``games`` has another shape.
            gymnasium.error.ClosedEnvironmentError: After ``close``.
            gymnasium.error.InvalidAction, gymnasium.error.ResetNeeded: As in `step`, for these
                games.
            RuntimeError: If another thread is using the environment.
        """
        if self.seat is not None:
            raise ValueError("step_games needs self_play=True")
        self._check_mask("games", games)
        actions = self._checked_actions(actions, games)
        results: Any = self._results
        results.clear(games)
        self._batch.step(actions, results, self._submit, self._ranges)
        is_over: NDArray[np.bool_] = (results.terminations | results.truncations) & games
        for i in np.flatnonzero(is_over).tolist():
            self._start(i, results)
        return is_over

    def _next_results(self) -> Results:
        """Results of this call, in the arrays of observations of the last one without `copy`."""
        kept = None if self.copy else self._results
        self._results = Results(self._batch, self._is_observing, kept)
        return self._results

    def _keep_last(self, i: int, results: Results, final: Arrays) -> None:
        """Stores the last observation and info of a finished game."""
        if self._is_observing:
            final_obs = {name: array[i].copy() for name, array in results.observations.items()}
            final_info = {
                "action_mask": final_obs["action_mask"].copy(),
                **{name: copy.copy(array[i]) for name, array in results.infos.items()},
                "illegal_action": bool(results.is_illegal[i]),
                **(texts_of(self._batch.model(i)) if self.info == "full" else {}),
            }
            self._add_info(final, {"final_obs": final_obs, "final_info": final_info}, i)

    def _stream(self, seed: int | None) -> tuple[int, Rng, Any]:
        """The seed, the generator and the opponent of a game; None draws a seed."""
        np_random, used = seeding.np_random(seed)
        return used, Rng(np_random), begun(self._begins_as, np_random)

    def _start(self, i: int, results: Results, variant: Variant | None = None) -> None:
        """Starts an episode of game i, and plays up to the learner's first turn."""
        if self._batch.start(i, results, variant):
            self._play_others(i, results)

    def _play_others(self, i: int, results: Results) -> None:
        """Plays the turns of the opponent in game i, which waits for it."""
        is_waiting = True
        while is_waiting:
            for action in turn_of(self._players[i], self._batch.model(i)):
                is_waiting = self._batch.play(i, action)
        self._batch.settle(i, results)

    def _infos(self, results: Results, mask: NDArray[np.bool_]) -> Arrays:
        """The infos of the games in a mask, with a mask ``_key`` for each ``key``."""
        if not self._is_observing:
            return {}
        infos = {
            "action_mask": results.observations["action_mask"],
            **results.infos,
            "illegal_action": results.is_illegal,
        }
        infos.update({f"_{name}": mask.copy() for name in infos})
        if self.info == "full":
            for i in np.flatnonzero(mask).tolist():
                self._add_info(infos, texts_of(self._batch.model(i)), i)
        return infos

    # Arguments

    def _checked_mask(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        self._check_mask("reset_mask", mask)
        if not mask.any():
            raise ValueError(f"reset_mask must mark a game, got {mask!r}")
        if not self._has_started and not mask.all():
            raise gymnasium.error.ResetNeeded("the first reset() must start all games")
        return np.array(mask)

    def _check_mask(self, name: str, mask: Any) -> None:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"{name} must be a bool array, got {mask!r}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"{name} must have shape ({self.num_envs},), got {mask!r}")

    def _checked_seeds(self, seed: Any) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if is_integer(seed):
            return [int(seed) + i for i in range(self.num_envs)]
        if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
            raise TypeError(f"seed must be None, an integer or a sequence of them, got {seed!r}")
        if len(seed) != self.num_envs:
            raise ValueError(f"seed must hold {self.num_envs} seeds, got {len(seed)}")
        for one in seed:
            if one is not None and not is_integer(one):
                raise TypeError(f"seed must hold integers or None, got {one!r}")
        return [None if one is None else int(one) for one in seed]

    def _checked_actions(
        self, actions: Any, games: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """The actions of these games (None: of all); `LEFT_OUT` in the others."""
        self._check_open()
        self._batch.check_idle()
        self._check_started()
        if games is None:
            games = np.ones(self.num_envs, dtype=np.bool_)
        if self._others_wait and (waiting := self._batch.waiting()):
            raise gymnasium.error.ResetNeeded(
                f"an opponent raised an exception in games {waiting}: call reset()"
            )
        if (
            self.autoreset_mode == AutoresetMode.DISABLED
            and (is_over := self._batch.is_over() & games).any()
        ):
            raise gymnasium.error.ResetNeeded(
                f"games {np.flatnonzero(is_over).tolist()} are over: call reset() with a reset_mask"
            )
        high = self.encoder.num_actions
        try:
            numbers = np.asarray(actions)
        except ValueError:  # a list of lists of different lengths
            numbers = np.empty(0)
        is_array = numbers.shape == (self.num_envs,) and numbers.dtype.kind in "iu"
        if not (is_array and ((numbers >= 0) & (numbers < high))[games].all()):
            raise gymnasium.error.InvalidAction(
                f"actions must be {self.num_envs} integers in [0, {high}), got {actions!r}"
            )
        chosen = np.where(games, numbers.astype(np.int64), LEFT_OUT)
        if self.illegal_action == "raise" and (i := self._batch.first_illegal(chosen)) >= 0:
            raise gymnasium.error.InvalidAction(f"action {chosen[i]} is illegal in game {i}")
        return chosen

    def _check_started(self) -> None:
        if not self._has_started:
            raise gymnasium.error.ResetNeeded("the games have not begun: call reset() first")

    def _check_open(self) -> None:
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("the environment was closed by close()")

    # Methods beyond Gymnasium's interface

    def model(self, i: int) -> CarcassonneModel:
        """A forward model with a copy of the position of game i.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
            TypeError: If i is no integer.
            IndexError: If there is no such game.
        """
        self._check_started()
        if not is_integer(i):
            raise TypeError(f"i must be an integer, got {i!r}")
        if not 0 <= i < self.num_envs:
            raise IndexError(f"i must be in [0, {self.num_envs}), got {i}")
        return self._batch.model(i)

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions of all games: int8[num_envs, number of actions] of 0 and 1.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        self._check_started()
        return self._batch.masks()

    def sample_actions(self, rng: Rng | None = None) -> NDArray[np.int64]:
        """Draws a legal action of every game uniformly at random.

        This is many times faster than ``action_space.sample`` with the masks.

        Args:
            rng: The random generator. None takes one that ``reset(seed=...)`` seeds.

        Returns:
            int64[num_envs], 0 for games without a legal action.

        Raises:
            gymnasium.error.ClosedEnvironmentError: After ``close``.
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        self._check_open()
        self._check_started()
        return self._batch.sample_actions(self._sampler if rng is None else rng)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of every game with the same arguments, or gets an attribute.

        The name is one for `get_attr`.

        Returns:
            A result for each game.

        Raises:
            AttributeError: If games have no such attribute.
        """
        values = self.get_attr(name)
        return tuple(value(*args, **kwargs) if callable(value) else value for value in values)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every game.

        Args:
            name: "model", "action_masks", "env_action", "model_action" or "np_random_seed", as in
                ``CarcassonneEnv``, or an attribute of this environment, which is the same for all
                games.

        Returns:
            A value for each game. Models are copies.

        Raises:
            AttributeError: If games have no such attribute.
        """
        if name == "model":
            return tuple(self.model(i) for i in range(self.num_envs))
        if name == "action_masks":
            return tuple(mask.copy for mask in self.action_masks())  # methods, for `call`
        if name == "env_action":
            return tuple(partial(self.encoder.encode, model) for model in self.get_attr("model"))
        if name == "model_action":
            return tuple(partial(decoded, self.encoder, model) for model in self.get_attr("model"))
        if name == "np_random_seed":
            return self.np_random_seed
        is_space = name in ("action_space", "observation_space")
        value = getattr(self, f"single_{name}" if is_space else name)
        if inspect.ismethod(value):
            raise AttributeError(f"{name}() is for all games at once: games have no such method")
        return (value,) * self.num_envs

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as SyncVectorEnv's
        """The seeds of the games' last resets with a seed.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        self._check_started()
        return tuple(self._seeds)

    def set_attr(self, name: str, values: Any) -> None:
        """Raises AttributeError, because games in C have no attributes to set."""
        raise AttributeError(
            f"{name!r} cannot be set in games that are stepped in C: make the environment anew "
            "with other arguments"
        )

    def play_randomly(self, num_steps: int, rng: Rng) -> tuple[NDArray[Any], NDArray[Any]]:
        """Plays uniformly random legal actions in all games, in C and without observations.

        A finished game starts a new episode at once, in every autoreset mode.

        Args:
            num_steps: Number of actions in each game, 1 or more.
            rng: The random generator that draws the actions. The games draw tiles from their own.

        Returns:
            Rewards, float64[num_steps, num_envs], and ends of episodes, bool[num_steps, num_envs].

        Raises:
            gymnasium.error.ClosedEnvironmentError: After ``close``.
            gymnasium.error.ResetNeeded: Before the first reset.
            TypeError: If ``num_steps`` is not an integer.
            ValueError: If ``num_steps`` is less than 1, or the other seats do not play at random.
            MemoryError: If the system refuses the memory for the returned arrays.
            RuntimeError: If another thread is using the environment.
        """
        self._check_open()
        self._check_started()
        check_range("num_steps", num_steps, 1, MAX_COUNT)
        num_steps = int(num_steps)
        if self.self_play or self._others_wait:
            raise ValueError('play_randomly needs opponent="random" and self_play=False')
        self._results = None  # which no longer show the games
        return self._batch.play_randomly(num_steps, rng)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("vector environments cannot be copied or pickled: copy single ones")

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        if self._threads is not None:
            self._threads.shutdown()
