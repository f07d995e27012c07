from typing import final

from agents.lookahead import Lookahead
from agents.lookahead_agent import LookaheadAgent

@final
class ExpectimaxSearch(Lookahead): ...

class Expectimax(LookaheadAgent): ...
