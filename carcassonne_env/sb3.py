"""The native vector environment for Stable-Baselines3, and for self-play.

Importing it raises ImportError without the extra ``rl``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from agents.checks import check_choice, check_number, extra

from .encoding import OBSERVATIONS
from .players.opponents import rival_at_play, turn_of

with extra("rl", __name__):
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.utils import obs_as_tensor
    from stable_baselines3.common.vec_env import VecEnv

RIVALS = (1,)
"""With this key, the seed of the first game gives the rivals another stream than the game has."""

Arrays = dict[str, NDArray[Any]]
Played = tuple[Arrays, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]
"""Observations, rewards, which games ended, which of them a limit of steps ended before their end,
and infos with the last observations and infos of those that ended."""


class NativeVecEnv(VecEnv):
    """Many games, stepped in C, as a ``VecEnv`` of Stable-Baselines3 and sb3-contrib.

    It takes the place of ``make_vec_env("Carcassonne-1p-3m-d", 64)`` and is many times as fast. The
    infos are empty but at the end of a game, as learners read no others. It gives
    ``info["episode"]`` itself, so that no ``Monitor`` is needed, and MaskablePPO finds its masks.
    If a ``VecEnvWrapper`` around it changes rewards, put a ``VecMonitor`` around the wrapper to
    have ``info["episode"]`` sum up the new ones; it warns that they overwrite the old ones.

    >>> from carcassonne_env.sb3 import NativeVecEnv
    >>> envs = NativeVecEnv("Carcassonne-1p-3m-d", 64, action_mode="two_step", reward="virtual")
    >>> from sb3_contrib import MaskablePPO
    >>> learner = MaskablePPO("MultiInputPolicy", envs, n_steps=48)

    Args:
        env_id: The id of an environment of this package.
        num_envs: Number of games.
        reward_scale: The factor by which the learner's rewards are multiplied, because networks
            learn small numbers more easily. The returns in ``info["episode"]`` are without it.
        settings: Further arguments of ``CarcassonneVectorEnv``, but for ``autoreset_mode``,
            ``copy`` and ``self_play``. `RivalsVecEnv` is for self-play.

    Raises:
        TypeError: If a setting is unknown or has the wrong type.
        ValueError: If a setting is out of range, or the id is not of this package.
    """

    _fixed: ClassVar[dict[str, Any]] = {
        "autoreset_mode": "SameStep",
        "copy": True,  # learners keep observations
        "self_play": False,
    }
    """Settings that are not the caller's."""

    def __init__(
        self, env_id: str, num_envs: int, *, reward_scale: float = 1.0, **settings: Any
    ) -> None:
        _check_id(env_id)
        check_number("reward_scale", reward_scale, 0, np.inf, is_open=True)
        check_choice("observation", settings.get("observation", "full"), OBSERVATIONS)
        for name, value in self._fixed.items():
            given = settings.get(name, value)
            if getattr(given, "value", given) != value:  # AutoresetMode is an Enum
                kind = type(self).__name__
                raise ValueError(f"{name} must be {value!r} in {kind}, got {given!r}")
        settings |= self._fixed
        self.envs: Any = gymnasium.make_vec(env_id, num_envs=num_envs, **settings)
        self.reward_scale = reward_scale
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._masks = np.empty(0)
        self._actions = np.empty(0)
        spaces = self.envs.single_observation_space, self.envs.single_action_space
        super().__init__(num_envs, *spaces)

    def reset(self) -> Arrays:
        """Starts all games, with the seeds of `seed` and the options of `set_options`."""
        observations = self._begin()
        self._reset_seeds()
        self._reset_options()
        self._masks = observations["action_mask"]
        self._returns[:] = self._lengths[:] = 0
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Arrays, NDArray[Any], NDArray[Any], list[dict[str, Any]]]:
        """Plays the actions of `step_async`; a finished game begins anew at once.

        Returns:
            Observations; rewards times ``reward_scale``, float32[num_envs]; which games ended,
            bool[num_envs]; and a dict for each game: of one that ended its last info, with
            ``episode``, ``TimeLimit.truncated`` and ``terminal_observation``; else an empty one.

        Raises:
            gymnasium.error.InvalidAction: If an action is not in the action space. An illegal one
                does what ``illegal_action`` says; `RivalsVecEnv` raises this error.
        """
        observations, rewards, is_over, is_truncated, infos = self._play(self._actions)
        self._masks = observations["action_mask"]
        self._returns += rewards
        self._lengths += 1
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(is_over).tolist():
            episode = {"r": float(self._returns[i]), "l": int(self._lengths[i])}
            told[i] = _row(infos.get("final_info", {}), i)
            told[i] |= {"episode": episode, "TimeLimit.truncated": bool(is_truncated[i])}
            if "final_obs" in infos:
                told[i]["terminal_observation"] = infos["final_obs"][i]
            self._returns[i] = self._lengths[i] = 0
        return observations, (self.reward_scale * rewards).astype(np.float32), is_over, told

    def _begin(self) -> Arrays:
        """Starts all games; returns their observations."""
        return self._start()[0]

    def _start(self) -> tuple[Arrays, Arrays]:
        """Starts all games; returns their observations and infos."""
        first, *others = self._options
        started: tuple[Arrays, Arrays] = self.envs.reset(seed=self._seeds, options=first)
        for i, options in enumerate(others, 1):
            if options != first:
                mask = np.arange(self.num_envs) == i
                options = {**options, "reset_mask": mask}
                started = self.envs.reset(seed=self._seeds, options=options)
        return started

    def _play(self, actions: NDArray[Any]) -> Played:
        observations, rewards, is_over, is_truncated, infos = self.envs.step(actions)
        ends = is_over | is_truncated, is_truncated & ~is_over
        return observations, rewards, *ends, infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """The results of a method of the games, see ``CarcassonneVectorEnv.call``."""
        if method_name == "action_masks" and len(self._masks):
            values: Any = self._masks  # those of the last observations, already computed
        else:
            values = self.envs.call(method_name, *method_args, **method_kwargs)
        return [values[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The values of an attribute of the games, see ``CarcassonneVectorEnv.get_attr``."""
        values = self.envs.get_attr(attr_name)
        return [values[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether games have an attribute, also before the first reset."""
        try:
            return bool(super().has_attr(attr_name))
        except gymnasium.error.ResetNeeded:  # only for attributes that games have
            return True

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises AttributeError, because games in C have no attributes to set."""
        self.envs.set_attr(attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for ``Monitor``, as all games give its ``info["episode"]``; else False."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Closes the environment; further steps are refused."""
        self.envs.close()


class RivalsVecEnv(NativeVecEnv):
    """Games between one learner and rivals, stepped in C, as a ``VecEnv``.

    Each game draws the learner's seat, and the rival that plays the other seats. A step is an
    action of the learner, and then all actions of the rivals until the learner is to move again. A
    rival with a network is asked once for all games that wait for it. Planners and other agents
    play their games one after the other. With an earlier version of the learner among the rivals,
    this is self-play. PyTorch refuses to ``copy.deepcopy`` a network that has learned, so pickle
    copies it:

    >>> import pickle
    >>> from carcassonne_env.sb3 import RivalsVecEnv
    >>> settings = {"tiles": "small", "action_mode": "two_step", "reward": "virtual"}
    >>> envs = RivalsVecEnv("Carcassonne-2p-7m-s", 8, ["greedy"], **settings)
    >>> from sb3_contrib import MaskablePPO
    >>> learner = MaskablePPO("MultiInputPolicy", envs, n_steps=8).learn(64)
    >>> envs.add_rival(pickle.loads(pickle.dumps(learner.policy)))

    ``seats``, int64[num_envs], are the learner's seats in the current games. The infos at the end
    of a game have ``episode`` and ``TimeLimit.truncated`` only; no game is truncated.

    Args:
        env_id: The id of an environment of this package.
        num_envs: Number of games.
        rivals: One rival or more, see `add_rival`.
        reward_scale: See `NativeVecEnv`.
        settings: Further arguments of ``CarcassonneVectorEnv``, but for ``autoreset_mode``,
            ``copy``, ``illegal_action``, ``max_episode_steps``, ``opponent``, ``seat`` and
            ``self_play``.

    Raises:
        TypeError: If a setting is unknown, or a setting or a rival has the wrong type.
        ValueError: If a setting is out of range, there is no rival, or the game is for one player.
    """

    _fixed: ClassVar[dict[str, Any]] = {
        **NativeVecEnv._fixed,
        "self_play": True,
        "illegal_action": "noop",
        "opponent": "random",
        "seat": 0,
        "max_episode_steps": None,
    }

    def __init__(
        self,
        env_id: str,
        num_envs: int,
        rivals: Iterable[Any],
        *,
        reward_scale: float = 1.0,
        **settings: Any,
    ) -> None:
        super().__init__(env_id, num_envs, reward_scale=reward_scale, **settings)
        self._encoder, self._variant = self.envs.unwrapped.encoder, self.envs.unwrapped.variant
        if self._encoder.num_players == 1:
            raise ValueError(f"env_id must be of a game for two or more players, got {env_id!r}")
        if isinstance(rivals, str) or not (rivals := list(rivals)):
            raise ValueError(f"rivals must be a list of one rival or more, got {rivals!r}")
        self._rng = np.random.default_rng()
        self._rivals: list[Any] = []
        self._players: list[Any] = []  # the rivals as they play
        for rival in rivals:
            self.add_rival(rival)
        self.seats = np.zeros(num_envs, dtype=np.int64)
        self._drawn = np.zeros(num_envs, dtype=np.int64)  # the index of each game's player
        self._plans: list[list[int]] = []  # what is left of turns in each game
        self._gains = np.zeros(num_envs)  # the learner's rewards that no step has returned yet
        self._observations: Arrays = {}
        self._infos: Arrays = {}

    def add_rival(self, rival: Any) -> None:
        """Adds a rival for the games that start from now on.

        Args:
            rival: A specification for `agents.make`, such as "greedy"; an object with a method
                ``act(model)``, such as a planner; or a learned policy: a model of
                Stable-Baselines3, its ``policy``, or a function of the observations and the infos
                of several games, which returns an action for each. Only ``action_mask`` is in the
                infos. Planners plan whole turns. A network that goes on learning changes as a
                rival, too, so add a copy.

        Raises:
            TypeError: If the rival is none of these.
            ValueError: If `agents.make` refuses the specification, or the rival learned another
                variant of the game, or with other observations or actions.
        """
        for name in ("observation_space", "action_space"):
            own = getattr(self, name)
            if (learned := getattr(rival, name, own)) != own:
                raise ValueError(f"rival must have learned with the {name} {own}, got {learned}")
        rival = without_copies(rival)
        self._players.append(rival_at_play(rival, self._variant, self._rng))
        self._rivals.append(rival)

    def _begin(self) -> Arrays:
        if (seed := self._seeds[0]) is not None:
            self._rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=RIVALS))
            self._players = [rival_at_play(one, self._variant, self._rng) for one in self._rivals]
        self._observations, self._infos = self._start()
        self._plans = [[] for _ in range(self.num_envs)]
        self._gains[:] = 0
        self._draw(np.ones(self.num_envs, dtype=np.bool_))
        self._run(*self._replies())
        return self._observations

    def _play(self, actions: NDArray[Any]) -> Played:
        rewards, is_over = self._run(np.ones(self.num_envs, dtype=np.bool_), actions)
        rewards[~is_over] = self._gains[~is_over]
        self._gains[~is_over] = 0  # other games keep what their rivals' first turns were worth
        return self._observations, rewards, is_over, np.zeros_like(is_over), {}

    def _run(
        self, is_acting: NDArray[np.bool_], actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Plays actions, and then the rivals until the learner is to move in all games.

        It returns the learner's gains in the games that ended, up to their end, and which games
        these are.
        """
        gains = np.zeros(self.num_envs)
        has_ended = np.zeros(self.num_envs, dtype=np.bool_)
        while is_acting.any():
            is_over = self._advance(is_acting, actions)
            ends_now = is_over & ~has_ended
            gains[ends_now] = self._gains[ends_now]
            self._gains[is_over] = 0
            has_ended |= is_over
            is_acting, actions = self._replies()
        return gains, has_ended

    def _advance(self, is_acting: NDArray[np.bool_], actions: NDArray[Any]) -> NDArray[np.bool_]:
        """Plays an action in some games; returns which games ended. These start anew."""
        is_over: NDArray[np.bool_]
        if is_acting.all():  # as at each step of the learner, which returns new arrays
            self._observations, _, is_over, _, self._infos = self.envs.step(actions)
        else:
            is_over = self.envs.unwrapped.step_games(is_acting, actions)
        if (illegal := self._infos["illegal_action"] & is_acting).any():
            i = illegal.argmax()
            raise gymnasium.error.InvalidAction(f"action {actions[i]} is illegal in game {i}")
        rewards = self._infos["rewards"][np.arange(self.num_envs), self.seats]
        self._gains += np.where(is_acting, rewards, 0)
        self._draw(is_over)
        return is_over

    def _draw(self, games: NDArray[np.bool_]) -> None:
        """Draws the learner's seats and the rivals of the games that start."""
        count = int(games.sum())
        self.seats[games] = self._rng.integers(self._encoder.num_players, size=count)
        self._drawn[games] = self._rng.integers(len(self._players), size=count)

    def _replies(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which games wait for a rival, and the actions of the rivals there.

        The action is 0 in the other games, and in games without a legal action.
        """
        games: NDArray[np.bool_] = self._infos["current_player"] != self.seats
        actions = np.zeros(self.num_envs, dtype=np.int64)
        can_move = games & self._observations["action_mask"].any(axis=1)
        for drawn in np.unique(self._drawn[can_move]):
            player = self._players[drawn]
            rows = np.flatnonzero(can_move & (self._drawn == drawn))
            if hasattr(player, "act"):
                actions[rows] = [self._next(player, i) for i in rows.tolist()]
            else:
                seen = self._observations
                if len(rows) < self.num_envs:  # else no copies
                    seen = {name: array[rows] for name, array in seen.items()}
                actions[rows] = player(seen, {"action_mask": seen["action_mask"]})
        return games, actions

    def _next(self, player: Any, i: int) -> int:
        """The next action of the turn that an agent plans, or has planned, in game i."""
        model = self.envs.unwrapped.model(i)
        if not self._plans[i]:
            self._plans[i] = turn_of(player, model)
        action: int = self._encoder.encode(model, self._plans[i].pop(0))
        return action


def _row(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """The values of game i in infos, without the masks of Gymnasium."""
    return {
        name: _row(values, i) if isinstance(values, dict) else values[i]
        for name, values in infos.items()
        if not name.startswith("_")
    }


def _check_id(env_id: str) -> None:
    """Raises ValueError for an environment of another package; `make_vec` refuses unknown ids."""
    spec = gymnasium.registry.get(str(env_id).rpartition(":")[2])
    own = gymnasium.spec("Carcassonne-1p-3m-s").vector_entry_point
    if spec is not None and spec.vector_entry_point != own:
        raise ValueError(f"env_id must be of an environment of carcassonne_env, got {env_id!r}")


def without_copies(rival: Any) -> Any:
    """MaskablePPO, or its policy, as a function that shares the memory of the observations.

    Its ``predict`` copies the observations of all games, to which it adds and from which it takes
    dimensions. Other rivals, and classes with a ``predict`` of their own, are returned as they are.
    """
    policy = rival.policy if isinstance(rival, MaskablePPO) else rival
    known = {MaskablePPO.predict, MaskableActorCriticPolicy.predict}
    if not {getattr(type(asked), "predict", None) for asked in (rival, policy)} <= known:
        return rival

    def chosen(observations: Arrays, infos: Arrays) -> NDArray[Any]:
        policy.set_training_mode(False)
        with torch.no_grad():
            seen = obs_as_tensor(observations, policy.device)
            masks = infos["action_mask"]
            actions = policy._predict(seen, deterministic=True, action_masks=masks)
        numbers: NDArray[Any] = actions.cpu().numpy()
        return numbers

    return chosen
