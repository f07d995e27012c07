from typing import final

from agents.lookahead.line import Lookahead
from agents.lookahead.planner import LookaheadAgent

@final
class ExpectimaxSearch(Lookahead): ...

class Expectimax(LookaheadAgent): ...
