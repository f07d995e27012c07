# distutils: extra_compile_args = -O3
"""The forward model of the tactics game."""

from collections.abc import Iterable

cimport cython

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcmp

from agents.checks import check_choice, check_flag, check_items, check_range
from agents.rng import Seed

from agents.bits cimport has, lowest_bit
from agents.forward_model cimport CHANCE, NO_PLAYER, TERMINAL, ForwardModel, zero_sum
from agents.rng cimport rng_from_seed, rng_next, rng_t
from agents.struct_model cimport StructModel

from ..squares import LETTERS, square_name
from . import boards, terms
from .terms import TacticsAction, Unit

from . cimport legal, rules
from .state cimport (
    ACT, HAND_SIZE, MAX_CHOICES, NOBODY, NO_ACTION, OVER, PLAY, RETURN, VICTORY, Action, Choice, Rules, State,
    all_living, decoded, first_play, first_return,
)
from .tables cimport (
    FIRST_ITEM, INFERNO, ITEM_BITS, KIND_BITS, MAX_SQUARES, NUM_CARDS, NUM_CODES, NUM_KINDS, TRAITS, Board,
    BoardTable,
)
from .tables import table_of


cdef enum:
    PICKLE_VERSION = 2

_LETTERS = "KACWNX"   # of the units, in texts of positions


cdef BoardTable STANDARD = table_of(boards.rows_of("standard"))


@cython.final
cdef class TacticsModel(StructModel):
    """A tactics game of two teams, in which a turn consists of several actions.

    Its rules are those of the Council team of Hero Academy (Robot Entertainment), as the program of the
    publications below plays them.

    **Turns.** Each player has a deck and an open hand of six cards: units, and items. A turn has a number of
    action points, the first turn of the game at most three. Every action costs one. The turn ends when
    they are spent or nothing is legal: then the player's knocked-out units leave the board, and he fills
    his hand from the deck. The first hands are three random units and three random items, those of player 0
    first. Every card that is drawn is a chance event, unless the game is deterministic. A player loses
    when all his crystals are gone, or when he has no unit on the board (knocked-out ones count), in hand
    and in deck. Returns are 1 for a win, -1 for a loss, 0 for a draw, which ``max_turns`` turns bring.

    **Units.** Distances are Manhattan distances; resistances are against physical and magical attacks.

    | unit | HP | speed | range | power | resistance | special |
    | --- | --- | --- | --- | --- | --- | --- |
    | knight | 1000 | 2 | 1 | 200 | 20% / 0 | pushes the unit that it hits one square away |
    | archer | 800 | 2 | 3 | 300 | 0 / 0 | half the damage at distance 1 |
    | cleric | 800 | 2 | 2 | 200 | 0 / 0 | magical; heals and revives |
    | wizard | 800 | 2 | 2 | 200 | 0 / 10% | magical; hits jump to up to two more enemies |
    | ninja | 800 | 3 | 2 | 200 | 0 / 0 | twice the damage at distance 1; swaps places |
    | crystal | 4500 | 0 | 0 | 0 | 0 / 0 | leaves the board when it is destroyed |

    Power grows by half with runemetal and by 100 on a power square. A scroll makes it three times as large
    until the next attack or heal uses it up. Dragonscale and helm give 20% of physical or magical resistance,
    raise the maximum of HP by a tenth of that of the class, and add a tenth of the current HP at once, up to
    the new maximum; a defence square gives 20% of physical resistance. Each unit of the attacker on an
    assault square adds 300 to the damage of every hit on a crystal.

    **Actions.** *Move* to a square within the speed that is free or holds a knocked-out unit, which is
    destroyed. Nothing blocks the way. The other side's deploy squares are closed, and a cleric does not step
    on own bodies. *Attack* an enemy in range; beyond the eight neighbouring squares, no other enemy may stand
    in the line of sight. *Heal* another wounded own unit by three times the cleric's power, or revive
    a knocked-out one with twice the power. *Swap* the ninja with any other own unit. *Deploy* a unit on
    an own deploy square. *Equip* a unit with an item that it lacks; a potion gives a wounded unit
    1000 HP and a knocked-out one 100. *Inferno*: 350 of magical damage to enemies on 3 x 3 squares, where
    their bodies are destroyed. *Swap a card* back into the deck.

    With S squares, numbered row by row from the north-western one, an action of a unit is
    ``kind * S * S + source * S + target``, the kinds being move, attack, heal and swap; playing a card
    is ``4 * S * S + card * S + target``, and putting one back ``4 * S * S + 11 * S + card``, by the order of
    `terms.CARDS`. Chance outcomes are cards. As text, actions are "knight c2-e2", "archer b1xd2",
    "cleric b2+c3", "ninja b2<>c4", "deploy knight a1", "runemetal c2", "inferno d3" and "swap scroll",
    outcomes "draw knight".

    The heuristic "evaluation" is `evaluation` divided by 60,000, kept inside (-1, 1) while the game goes on.

    Sources: N. Justesen, T. Mahlmann, S. Risi, J. Togelius, *Playing Multi-Action Adversarial Games: Online
    Evolution versus Tree Search*, IEEE TCIAIG 2017; H. Baier, P. Cowling, *Evolutionary MCTS for
    Multi-Action Adversarial Games*, CIG 2018.

    Args:
        board: "standard" (9 x 5 squares), "small" (7 x 4), "tiny" (5 x 3), or rows of squares from the
            north, joined by "/" or line breaks: 0 is an ordinary square, d and D are deploy squares of
            player 0 and 1, c and C their crystals, S defence, A assault and P power squares. At most 64.
        deck: "standard" (28 cards), "small" (18), "tiny" (11), or a mapping from cards to
            counts, with at least 3 units and 3 items, at most 255 cards. None is the deck of the
            board's name, for other boards the standard one.
        action_points: Actions of a turn, 1 to 255.
        deterministic: Whether a seed fixes the cards that are drawn. The seed's state is part of the
            position, so clones draw the same cards.
        pruned: Whether weak actions are not legal: infernos that reach no enemy, or whose targets are among
            those of another one (of equal ones the first square stays); and putting back a card that is
            held once. A player who has nothing else can put back any card.
        max_turns: Turns of both players after which the game is a draw, 1 to 65535.
        seed: Seed of the draws of a deterministic game: anything that `Rng` takes.

    Raises:
        TypeError: If an argument has a wrong type.
        ValueError: If an argument is out of range, the board or the deck is refused, or there is a seed
            although the game is not deterministic.
    """

    heuristics = ("evaluation",)

    cdef State state
    cdef Rules rules          # this and the table depend on the options alone
    cdef BoardTable table     # keeps alive what `rules.board` points to

    def __cinit__(self, *args, **kwargs):
        # All but `last` and the padding behind it is compared.
        self.hold(&self.state, sizeof(State), sizeof(State) - 2 * sizeof(int32_t), PICKLE_VERSION)
        self.set_rules(STANDARD, 1, False, 1)   # a finished game until __init__ starts one
        rules.clear(&self.state)
        self.state.phase = OVER

    def __init__(
        self,
        board: str = "standard",
        deck: str | Mapping[str, int] | None = None,
        action_points: int = 5,
        deterministic: bool = False,
        pruned: bool = True,
        max_turns: int = 200,
        seed: Seed = None,
    ):
        rows = boards.rows_of(board)
        counts = boards.deck_of(deck, board)
        check_range("action_points", action_points, 1, 255)
        check_flag("deterministic", deterministic)
        check_flag("pruned", pruned)
        check_range("max_turns", max_turns, 1, 65535)
        if seed is not None and not deterministic:
            raise ValueError(f"seed needs deterministic=True, which fixes the draws, got {seed!r}")
        self.set_rules(table_of(rows), action_points, pruned, max_turns)
        cdef uint8_t[NUM_CARDS] cards
        for i, card in enumerate(terms.CARDS):
            cards[i] = counts[card]
        rules.start(&self.rules, &self.state, cards)
        if deterministic:
            self.state.is_deterministic = True
            self.state.rng = rng_from_seed(seed)
        rules.proceed(&self.rules, &self.state)

    cdef set_rules(self, BoardTable table, int action_points, bint is_pruned, int max_turns):
        """Sets all that depends on the options alone."""
        self.table = table
        self.rules.board = &table.board
        self.rules.action_points = action_points
        self.rules.is_pruned = is_pruned
        self.rules.max_turns = max_turns
        cdef int size = table.board.num_squares
        self.num_players = 2
        self.num_actions = first_return(self.rules.board) + NUM_CARDS
        self.max_legal_actions = size * size + NUM_CARDS * size + NUM_CARDS   # a unit has a deed a target
        self.max_chance_outcomes = NUM_CARDS

    cdef void copy_sizes(self, ForwardModel source) noexcept:
        ForwardModel.copy_sizes(self, source)
        self.table = (<TacticsModel> source).table
        self.rules = (<TacticsModel> source).rules

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        if self.state.phase == ACT:
            return self.state.player
        return TERMINAL if self.state.phase == OVER else CHANCE

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        cdef Choice choices[MAX_CHOICES]
        cdef uint64_t targets
        cdef int i, count = 0
        for i in range(legal.find_choices(&self.rules, &self.state, choices)):
            targets = choices[i].targets
            while targets:
                actions[count] = choices[i].first + lowest_bit(targets)
                targets &= targets - 1
                count += 1
        return count

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        cdef int first = 0, end = 0, card, count = 0
        cdef double total = rules.find_pool(&self.state, &first, &end)
        for card in range(first, end):
            if self.state.decks[self.state.player][card]:
                outcomes[count] = card
                probabilities[count] = self.state.decks[self.state.player][card] / total
                count += 1
        return count

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        rules.apply(&self.rules, &self.state, action)
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        zero_sum(returns, 0 if self.state.winner == NOBODY else 1 - 2 * self.state.winner)
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        action[0] = legal.sample_action(&self.rules, &self.state, rng)
        return 0

    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 nogil:
        outcome[0] = rules.draw_card(&self.state, rng)
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        return rules.play_out(&self.rules, &self.state, rng)

    cdef int c_determinize(self, rng_t* rng) except -1 nogil:
        cdef int i
        if not self.state.is_deterministic:
            for i in range(4):
                self.state.rng.s[i] = rng_next(rng)
            self.state.is_deterministic = True
            rules.proceed(&self.rules, &self.state)
        return 0

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        legal.order(&self.rules, &self.state, actions, count)
        return 0

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        cdef int value = self.state.value
        if self.state.phase == OVER:
            return self.c_returns(values)
        zero_sum(values, <double> min(max(value, 1 - VICTORY), VICTORY - 1) / VICTORY)
        return 0

    cdef bint c_is_legal(self, int32_t action) except -1 nogil:
        return legal.is_legal(&self.rules, &self.state, action)

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        cdef const Rules* others = &(<TacticsModel> other).rules
        return (
            StructModel.c_equals(self, other)
            and self.rules.action_points == others.action_points
            and self.rules.max_turns == others.max_turns
            and self.rules.is_pruned == others.is_pruned
            and (
                self.rules.board == others.board
                or memcmp(self.rules.board, others.board, sizeof(Board)) == 0
            )
        )

    # --- The position in Python ---

    @property
    def board(self) -> tuple[str, ...]:
        """The rows of squares from the north, in the characters of the argument `board`."""
        return self.table.rows

    @property
    def deterministic(self) -> bool:
        """Whether a seed fixes the draws."""
        return bool(self.state.is_deterministic)

    @property
    def pruned(self) -> bool:
        """Whether weak actions are left out."""
        return bool(self.rules.is_pruned)

    @property
    def max_turns(self) -> int:
        """The number of turns after which the game is a draw."""
        return self.rules.max_turns

    @property
    def units(self) -> list[Unit]:
        """The units on the board, crystals and knocked-out ones included, square by square (`Unit`)."""
        cdef int square, player
        found = []
        for square in range(self.table.board.num_squares):
            for player in range(2):
                if has(self.state.living[player] | self.state.bodies[player], square):
                    code = self.state.codes[square]
                    items = [item for item in terms.EQUIPMENT if code & ITEM_BITS[terms.CARDS.index(item)]]
                    kind, name = terms.UNITS[code & KIND_BITS], self.name_of(square)
                    found.append(Unit(kind, player, name, self.state.hp[square], frozenset(items)))
        return found

    @property
    def hands(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of each card in the hands of player 0 and 1; cards without are missing."""
        return self.pile(self.state.hands[0]), self.pile(self.state.hands[1])

    @property
    def decks(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of each card in the decks of player 0 and 1; cards without are missing."""
        return self.pile(self.state.decks[0]), self.pile(self.state.decks[1])

    cdef dict pile(self, const uint8_t* counts):
        return {card: counts[i] for i, card in enumerate(terms.CARDS) if counts[i]}

    @property
    def action_points(self) -> int:
        """The action points left in this turn; 0 at chance nodes and at the end."""
        return self.state.action_points

    @property
    def turn(self) -> int:
        """The number of turns that both players have finished."""
        return self.state.turn

    @property
    def winner(self) -> int | None:
        """The player who has won; None in a draw and while the game goes on."""
        return None if self.state.winner == NOBODY else self.state.winner

    def evaluation(self, player: int) -> int:
        """The worth of a player's units and cards less that of the other's; 60,000 is a win, -60,000 a loss.

        A unit is worth its HP, twice the HP of its class, its square and twice its equipment, and a
        knocked-out one the HP of its class and its equipment. In hand and deck a unit card is worth 1.75
        times the HP of its class, an inferno 750, and any other item nothing. A draw is worth 0.

        Raises:
            ValueError: If the player is neither 0 nor 1.
        """
        self._check_player(player)
        cdef int value = self.state.value
        if self.state.phase == OVER:
            value = 0 if self.state.winner == NOBODY else VICTORY * (1 - 2 * self.state.winner)
        return -value if player else value

    # --- Actions ---

    def decode_action(self, action: int) -> TacticsAction:
        """An action in words. It need not be legal.

        Raises:
            TypeError: If the action is not an integer.
            ValueError: If the game has no action with this number.
        """
        check_range("action", action, 0, self.num_actions - 1)
        cdef Action found = decoded(self.rules.board, action)
        target = self.name_of(found.target)
        if found.deed < PLAY:
            return TacticsAction(terms.KINDS[found.deed], self.name_of(found.subject), target, None)
        card = terms.CARDS[found.subject]
        if found.deed == RETURN:
            return TacticsAction("swap_card", None, None, card)
        kind = "deploy" if found.subject < FIRST_ITEM else "inferno" if found.subject == INFERNO else "equip"
        return TacticsAction(kind, None, target, card)

    def encode_action(self, action: TacticsAction) -> int:
        """The number of an action in words, the inverse of `decode_action`.

        Raises:
            TypeError: If it is no tuple.
            ValueError: If the game has no such action.
        """
        form = f"TacticsAction({', '.join(TacticsAction._fields)})"
        kind, source, target, card = check_items("action", action, 4, form)
        check_choice("kind", kind, terms.KINDS)
        size = self.table.board.num_squares
        if kind in terms.SIGNS:
            number = (terms.KINDS.index(kind) * size + self.square_of(source)) * size + self.square_of(target)
        elif card not in terms.CARDS:
            raise ValueError(f"card must be one of {', '.join(terms.CARDS)}, got {card!r} in {action!r}")
        elif kind == "swap_card":
            number = first_return(self.rules.board) + terms.CARDS.index(card)
        else:
            number = first_play(self.rules.board) + terms.CARDS.index(card) * size + self.square_of(target)
        if tuple(action) != self.decode_action(number):
            raise ValueError(f"no action reads {action!r}; nearest is {self.decode_action(number)!r}")
        return number

    cdef str name_of(self, int square):
        return square_name(square, self.table.board.width)

    cdef int square_of(self, name) except -1:
        """The number of a square."""
        for square in range(self.table.board.num_squares):
            if self.name_of(square) == name:
                return square
        last = self.name_of(self.table.board.num_squares - 1)
        raise ValueError(f"square must be in a1 to {last}, got {name!r}")

    def action_to_string(self, action):
        """The text of an action, such as "knight c2-e2"; at a chance node of an outcome, "draw knight".

        Raises:
            TypeError: If it is not an integer.
            ValueError: If there is no such action or outcome, or no unit that could do it.
        """
        if self.is_chance_node():
            check_range("outcome", action, 0, NUM_CARDS - 1)
            return f"draw {terms.CARDS[action]}"
        kind, source, target, card = self.decode_action(action)
        if kind in terms.SIGNS:
            square = self.square_of(source)
            if not has(all_living(&self.state), square):
                raise ValueError(f"action {action!r} needs a unit on {source}")
            return f"{terms.UNITS[self.state.codes[square] & KIND_BITS]} {source}{terms.SIGNS[kind]}{target}"
        if kind == "swap_card":
            return f"swap {card}"
        return f"{'deploy ' if kind == 'deploy' else ''}{card} {target}"

    # --- Positions set up by hand ---

    def position(
        self,
        units: Iterable[Unit],
        hands: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
        decks: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
        action_points: int | None = None,
        turn: int = 0,
    ) -> TacticsModel:
        """A game of the same options in a position that is set up by hand, for puzzles and tests.

        If nothing is legal there, the turn ends at once; if a player has lost, the game is over. ::

            TacticsModel("tiny").position(
                [
                    Unit("crystal", 0, "c2", 4500, frozenset()),
                    Unit("wizard", 0, "d1", 800, frozenset({"scroll"})),
                    Unit("crystal", 1, "e2", 600, frozenset()),
                ],
                hands=({"inferno": 1}, {}),
                decks=({}, {"knight": 1}),
                action_points=1,
            )

        Args:
            units: Units, each on a square of its own, with 1 HP (crystals) or 0 HP (others) up to their
                maximum; crystals without equipment, no unit on the other side's deploy squares.
            hands: The cards of player 0 and 1: mappings from cards to counts, at most 6 cards each.
            decks: The same of the decks; hand and deck have at most 255 cards.
            action_points: Those left in this turn, 1 to those of a turn, which is the default.
            turn: The number of turns finished. Player 0 is to act after an even number.

        Raises:
            TypeError: If an argument has a wrong type.
            ValueError: If the position breaks one of these laws.
        """
        cdef TacticsModel model = self.clone()
        if action_points is None:
            action_points = self.rules.action_points
        check_range("action_points", action_points, 1, self.rules.action_points)
        check_range("turn", turn, 0, self.rules.max_turns - 1)
        model.set_up(units, hands, decks)
        model.state.action_points = action_points
        model.state.turn = turn
        model.state.player = turn % 2
        model.state.phase = ACT
        rules.settle(&model.rules, &model.state)
        return model

    cdef set_up(self, units, hands, decks):
        """Puts units and cards in place of those in the position; sets nothing else."""
        cdef rng_t rng = self.state.rng
        cdef int is_deterministic = self.state.is_deterministic, player
        rules.clear(&self.state)
        self.state.rng = rng
        self.state.is_deterministic = is_deterministic
        if not isinstance(units, Iterable):
            raise TypeError(f"units must be a list of Unit(...), got {units!r}")
        for unit in units:
            self.add_unit(unit)
        for name, piles in (("hands", hands), ("decks", decks)):
            check_items(name, piles, 2, "two mappings, of player 0 and 1")
        for player in range(2):
            hand = boards.card_counts("hands", hands[player])
            self.add_cards(player, hand, boards.card_counts("decks", decks[player]))

    cdef add_unit(self, unit):
        """Puts a unit on the board."""
        form = f"Unit({', '.join(Unit._fields)})"
        kind, player, name, hp, equipment = check_items("each of units", unit, 5, form)
        if isinstance(equipment, str) or not isinstance(equipment, Iterable):
            raise TypeError(f"equipment must be a set of items, such as {{'scroll'}}, got {equipment!r}")
        check_choice("kind", kind, terms.UNITS)
        check_range("player", player, 0, 1)
        cdef int square = self.square_of(name), code = terms.UNITS.index(kind)
        for item in equipment:
            check_choice("equipment", item, () if kind == "crystal" else terms.EQUIPMENT)
            code |= ITEM_BITS[terms.CARDS.index(item)]
        check_range("hp", hp, int(kind == "crystal"), TRAITS[code].max_hp)
        if has(all_living(&self.state) | self.state.bodies[0] | self.state.bodies[1], square):
            raise ValueError(f"units must have squares of their own, got two on {name}")
        if has(self.table.board.deploy[1 - player], square):
            raise ValueError(f"{name} is a deploy square of the other side, got {unit!r} there")
        rules.put(&self.table.board, &self.state, player, square, code, hp)

    cdef add_cards(self, int player, dict hand, dict deck):
        """Gives a player his cards."""
        in_hand, together = sum(hand.values()), sum(hand.values()) + sum(deck.values())
        if in_hand > HAND_SIZE:
            raise ValueError(f"hands must have at most {HAND_SIZE} cards, got {in_hand} of player {player}")
        if together > boards.MAX_CARDS:
            raise ValueError(
                f"hand and deck must have at most {boards.MAX_CARDS} cards, got {together} of player {player}"
            )
        for i, card in enumerate(terms.CARDS):
            rules.add_cards(&self.state, player, i, hand[card], deck[card])

    # --- Observations ---

    def observation(self, player: int) -> NDArray[np.float32]:
        """The position as planes of numbers, for learners; the board is not turned.

        Planes 0 to 22 are about squares:

        - 0 to 5: the player's units, a plane for each kind of `terms.UNITS`, knocked-out ones included.
        - 6 to 11: the same of the other player.
        - 12: hit points as a share of the unit's maximum.
        - 13: knocked-out units.
        - 14 to 17: units that carry runemetal, dragonscale, a helm, a scroll.
        - 18, 19: deploy squares of the player, of the other player.
        - 20 to 22: defence squares, assault squares, power squares.

        The others have the same number everywhere:

        - 23 to 33: the number of each card of `terms.CARDS` in the player's hand, divided by 6.
        - 34 to 44: the same of the other player.
        - 45 to 55: the number of each card in the player's deck, divided by 255.
        - 56 to 66: the same of the other player.
        - 67: the action points left, as a share of those of a turn.
        - 68: 1 if the player is to move.
        - 69: 1 if the player is player 0.
        - 70: the turns finished, as a share of `max_turns`.

        Args:
            player: The player from whose view it is taken.

        Returns:
            float32[71, height, width], rows from the north.

        Raises:
            ValueError: If the player is neither 0 nor 1.
        """
        self._check_player(player)
        size, width = self.table.board.num_squares, self.table.board.width
        planes = np.zeros((71, size), dtype=np.float32)
        for kind, owner, name, hp, equipment in self.units:
            square, number = self.square_of(name), terms.UNITS.index(kind)
            planes[number + len(terms.UNITS) * (owner != player), square] = 1
            planes[12, square] = hp / TRAITS[self.state.codes[square]].max_hp
            planes[13, square] = hp == 0
            for i, item in enumerate(terms.EQUIPMENT):
                planes[14 + i, square] = item in equipment
        squares = np.array(list("".join(self.board)))
        for i, mark in enumerate(("dD"[player], "Dd"[player], "S", "A", "P")):
            planes[18 + i] = squares == mark
        for i, (piles, most) in enumerate(((self.hands, HAND_SIZE), (self.decks, boards.MAX_CARDS))):
            for j, pile in enumerate((piles[player], piles[1 - player])):
                for card, count in pile.items():
                    planes[23 + NUM_CARDS * (2 * i + j) + terms.CARDS.index(card)] = count / most
        planes[67] = self.action_points / self.rules.action_points
        planes[68] = self.current_player() == player
        planes[69] = player == 0
        planes[70] = self.turn / self.max_turns
        return planes.reshape(71, size // width, width)

    # --- Text and picture ---

    cdef str status(self, tuple names=("player 0", "player 1")):
        """Whose turn it is, or the result."""
        if self.state.phase == OVER:
            return "draw" if self.state.winner == NOBODY else f"{names[self.state.winner]} has won"
        if self.state.phase == ACT:
            points = self.state.action_points
            return f"{names[self.state.player]} to move, {points} action point{'s' * (points > 1)} left"
        return f"{names[self.state.player]} draws a card"

    cdef str unit_text(self, unit):
        """A unit in few characters: upper case for player 0, HP, and initials of its items."""
        kind, player, _, hp, equipment = unit
        letter = _LETTERS[terms.UNITS.index(kind)]
        items = "".join([item[0] for item in terms.EQUIPMENT if item in equipment])
        return f"{letter if player == 0 else letter.lower()}{hp}{items}"

    def __repr__(self):
        units = " ".join([f"{unit.square}:{self.unit_text(unit)}" for unit in self.units])
        cards = " | ".join([_pile_text(pile) for pile in self.hands])
        return f"<TacticsModel: turn {self.turn}, {self.status()}; {units}; hands {cards}>"

    def __str__(self):
        """The board, the hands and the status.

        Units are letters (K knight, A archer, C cleric, W wizard, N ninja, X crystal; upper case for player
        0), their HP, and the initials of what they carry (r, d, h, s); before them is the mark of
        a special square, if they stand on one.
        """
        shown = {unit.square: self.unit_text(unit) for unit in self.units}
        width = self.table.board.width
        cells = [
            _square_text(mark, shown.get(square_name(square, width), ""))
            for square, mark in enumerate("".join(self.board))
        ]
        room = max(9, 1 + max(map(len, cells)))
        lines = ["   " + "".join([f"{letter:<{room}}" for letter in LETTERS[:width]])]
        for row in range(len(self.board)):
            texts = [f"{cell:<{room}}" for cell in cells[row * width : (row + 1) * width]]
            lines.append(f"{row + 1:<3}{''.join(texts)}")
        for player in range(2):
            hand, num_cards = _pile_text(self.hands[player]), self.state.deck_sizes[player]
            lines.append(f"player {player} ({'Kk'[player]}): {hand}; {num_cards} cards in the deck")
        ending = f"turn {self.turn} of {self.max_turns}, evaluation of player 0: {self.evaluation(0):+}"
        return "\n".join([line.rstrip() for line in lines] + [f"{self.status()}, {ending}"])

    def _repr_svg_(self) -> str:
        """The position as SVG text, which notebooks display."""
        return self.svg()

    def places(self) -> dict[int, tuple[float, float]]:
        """The point (x, y) of the picture that each legal action acts on; a card that is swapped has none."""
        from .picture import place_of

        width = len(self.board[0])
        targets = {action: self.decode_action(action).target for action in self.legal_actions().tolist()}
        return {action: place_of(self.square_of(to), width) for action, to in targets.items() if to}

    def svg(self, plan: Sequence[int] = ()) -> str:
        """The position as SVG text, with the last action and a plan.

        Args:
            plan: Actions that are to be played one after the other, such as the ``plan`` of an
                `agents.TurnResult`; they are drawn as numbered arrows.
        """
        from .picture import position_svg

        last = None if self.state.last == NO_ACTION or len(plan) else self.decode_action(self.state.last)
        steps = [self.decode_action(action) for action in plan]
        status = self.status(terms.SIDES)
        return position_svg(
            self.board, self.units, self.hands, self.decks, self.action_points, status, last, steps
        )

    # --- Pickles ---

    cdef object options(self):
        return "/".join(self.board), self.rules.action_points, self.pruned, self.max_turns

    cdef bint take_over(self, options) except -1:
        board, action_points, is_pruned, max_turns = options
        self.copy_sizes(TacticsModel(board, None, action_points, False, is_pruned, max_turns))
        return self.is_sound() and rules.is_sound(&self.rules, &self.state)

    cdef bint is_sound(self) except -1:
        """Whether the same units and cards, set up anew, make the same position."""
        cdef const State* state = &self.state
        cdef TacticsModel twin = self.clone()
        cdef bint is_seeded = state.rng.s[0] | state.rng.s[1] | state.rng.s[2] | state.rng.s[3] != 0
        if state.player > 1 or state.is_deterministic != is_seeded:
            return False
        if not NO_ACTION <= state.last < self.num_actions:
            return False
        for square in range(MAX_SQUARES):
            if state.codes[square] >= NUM_CODES or state.codes[square] & KIND_BITS >= NUM_KINDS:
                return False
        try:
            twin.set_up(self.units, self.hands, self.decks)
        except ValueError:
            return False
        twin.state.phase = state.phase
        twin.state.player = state.player
        twin.state.turn = state.turn
        twin.state.action_points = state.action_points
        twin.state.last = state.last
        if state.phase == OVER:
            rules.decide(&twin.state)
        return memcmp(&twin.state, state, self.num_compared) == 0   # `last` and the padding are not compared


def _square_text(mark, unit):
    """A square in a row of text: its mark, unless it is ordinary, and its unit."""
    if not unit:
        return "." if mark == "0" else mark
    return f"{mark} {unit}" if mark in "dDSAP" else unit


def _pile_text(pile):
    """Cards and their counts."""
    return ", ".join([card + f" x{count}" * (count > 1) for card, count in pile.items()]) or "no cards"
