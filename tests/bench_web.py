"""How fast the server of the browser game answers: ``python tests/bench_web.py``. Not a test.

Pages play moves in games of their own, each with a pause between its moves, while planners search
in two other games. The table gives the time from a move to the new position, and what the stream
of thoughts costs a search.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
from websockets.asyncio.client import connect

from agents import make
from agents.web.messages import written
from carcassonne_env import CarcassonneModel
from carcassonne_env.web.table import Thinking

PAGES, MOVES, PAUSE = 50, 8, 2.0


async def told(socket: Any, kind: str = "state") -> Any:
    """The next message of a kind."""
    while (message := json.loads(await socket.recv()))["type"] != kind:
        pass
    return message


async def start(socket: Any, *players: str) -> Any:
    """Starts a game and returns its first state."""
    await socket.send(json.dumps({"type": "new", "players": players, "tiles": "base"}))
    return await told(socket)


async def play(socket: Any, state: Any) -> Any:
    """Plays the first legal move and returns the state after it."""
    ((_, rotations), *_) = state["view"]["legal"].items()
    action = next(iter(next(iter(rotations.values())).values()))
    move = {"type": "play", "ply": state["view"]["ply"], "action": action}
    await socket.send(json.dumps(move))
    return await told(socket)


async def page(address: str, number: int) -> list[float]:
    """Plays moves in one page and returns the seconds that each took."""
    seconds = []
    async with connect(address) as socket:
        state = await start(socket, "me", "me")
        await asyncio.sleep(PAUSE * (1 + number / PAGES))  # until all games have begun
        for _ in range(MOVES):
            begin = time.perf_counter()
            state = await play(socket, state)
            seconds.append(time.perf_counter() - begin)
            await asyncio.sleep(PAUSE)
    return seconds


async def searching(address: str, done: asyncio.Event) -> None:
    """A page in whose game a planner searches until the others have done."""
    async with connect(address) as socket:
        await play(socket, await start(socket, "me", "strongest(time_limit=60)"))
        reading = asyncio.create_task(read_all(socket))
        await done.wait()
        reading.cancel()


async def read_all(socket: Any) -> None:
    """Reads the thoughts as a page does."""
    async for _ in socket:
        pass


async def latencies(address: str, num_pages: int, num_searches: int) -> np.ndarray:
    """Milliseconds of all moves."""
    done = asyncio.Event()
    searches = [asyncio.create_task(searching(address, done)) for _ in range(num_searches)]
    await asyncio.sleep(1)
    seconds = await asyncio.gather(*(page(address, i) for i in range(num_pages)))
    done.set()
    await asyncio.gather(*searches)
    return 1000 * np.concatenate(seconds)


def stream_cost(seconds: float = 2.0) -> float:
    """The share of a search's time that its thoughts take."""
    model = CarcassonneModel(seed=1)
    model.apply_action(model.sample_chance(0))
    spent = 0.0

    class Timed(Thinking):
        def _watch(self, result: Any) -> bool:
            nonlocal spent
            begin = time.perf_counter()
            answer = super()._watch(result)
            spent += time.perf_counter() - begin
            return answer

    planner = make(f"strongest(time_limit={seconds})", seed=1)
    Timed(planner, model, lambda thought: written("thought", thought=thought) and None).run()
    return spent / seconds


def main() -> None:
    """Prints the table."""
    command = [sys.executable, "-m", "carcassonne_env", "web", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        address = url.replace("http", "ws") + "game"
        for num_pages, num_searches in [(1, 0), (PAGES, 0), (PAGES, 2)]:
            took = asyncio.run(latencies(address, num_pages, num_searches))
            print(
                f"{num_pages} pages, {num_searches} searches: median {np.median(took):.1f} ms, "
                f"95 % within {np.percentile(took, 95):.1f} ms, all within {took.max():.1f} ms"
            )
        process.terminate()
    print(f"thoughts: {100 * stream_cost():.2f} % of the time of a search")


if __name__ == "__main__":
    main()
