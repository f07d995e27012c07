"""The complete rules of the tactics game, slow and obvious, to compare the compiled model with.

A game is the units that stand on the squares, the cards in both hands and decks, and whose turn it
is; everything else is found again at each call by looking at every square. Of the package it uses
the words of the game, no rules.
"""

from __future__ import annotations

from collections import Counter, namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from agents import CHANCE, TERMINAL
from agents.games.tactics.terms import CARDS, ITEMS, TacticsAction, Unit

Square = tuple[int, int]
"""Column from the west, row from the north, both from 0."""
Direction = tuple[int, int]
"""A step to one of the eight neighbours: columns to the east, rows to the south."""

BOARDS = {
    "standard": "d000S000D / 00c000C00 / 00P000P00 / 0c00000C0 / d000A000D",
    "small": "d00S00D / 00c0C00 / 0c0P0C0 / d00A00D",
    "tiny": "d0S0P / c0A0C / P0S0D",
}
DECKS = {
    "standard": dict(zip(CARDS, (3, 3, 3, 3, 1, 2, 3, 3, 3, 2, 2), strict=True)),
    "small": dict(zip(CARDS, (2, 2, 2, 2, 1, 1, 2, 2, 2, 1, 1), strict=True)),
    "tiny": dict.fromkeys(CARDS, 1),
}
DEPLOY = ("d", "D")
CRYSTAL = ("c", "C")
HAND_SIZE = 6
DEALT_UNITS = 3
"""The first hand holds as many units, and items for the rest."""
Class = namedtuple("Class", "hp speed power physical magical attack range")
"""A line of the table of units; resistances in percent."""
CLASSES = {
    "knight": Class(1000, 2, 200, 20, 0, "physical", 1),
    "archer": Class(800, 2, 300, 0, 0, "physical", 3),
    "cleric": Class(800, 2, 200, 0, 0, "magical", 2),
    "wizard": Class(800, 2, 200, 0, 10, "magical", 2),
    "ninja": Class(800, 3, 200, 0, 0, "physical", 2),
    "crystal": Class(4500, 0, 0, 0, 0, "none", 0),
}
CLOSE_PERCENT = {"archer": 50, "ninja": 200}
"""The multiplier at distance 1; 100 for other units and distances."""
CHAIN_PERCENT = (75, 56)
HEAL_RANGE = 2
INFERNO = 350
ASSAULT_BONUS = 300
POTION, POTION_ON_BODY = 1000, 100

JUMPS = ((0, -1), (1, 0), (-1, 0), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
"""The best direction of a jump first, if none goes straight on: north, east, west, south, ..."""

END_VALUE = 60000
UNIT_CARD_VALUE = {"knight": 1750, "archer": 1400, "cleric": 1400, "wizard": 1400, "ninja": 1400}
INFERNO_VALUE = 750
DEPLOY_VALUE = -75
SQUARE_VALUE = {
    "A": {"archer": 40, "wizard": 40, "cleric": 10, "knight": 120, "ninja": 50},
    "S": {"archer": 80, "wizard": 70, "cleric": 20, "knight": 30, "ninja": 60},
    "P": {"archer": 120, "wizard": 100, "cleric": 40, "knight": 30, "ninja": 70},
}
ITEM_VALUE = {"dragonscale": 30, "runemetal": 20, "helm": 20, "scroll": 30}
EXTRA_VALUE = {
    "dragonscale": {"knight": 30, "archer": 30, "wizard": 20},
    "runemetal": {"knight": -50, "archer": 40, "wizard": 40},
    "helm": {"ninja": 10, "archer": 20, "wizard": 20},
    "scroll": {"ninja": 40, "knight": -40, "archer": 50, "wizard": 50},
}


@dataclass
class Piece:
    """A unit on the board, knocked out (a body) if it has no hit points."""

    kind: str
    player: int
    hp: int
    equipment: set[str] = field(default_factory=set)

    @property
    def is_body(self) -> bool:
        return self.hp == 0

    @property
    def is_crystal(self) -> bool:
        return self.kind == "crystal"

    @property
    def max_hp(self) -> int:
        """The hit points of its class, and a tenth for each piece of armour."""
        armour = self.equipment & {"dragonscale", "helm"}
        return CLASSES[self.kind].hp + len(armour) * (CLASSES[self.kind].hp // 10)

    @property
    def is_wounded(self) -> bool:
        return 0 < self.hp < self.max_hp


class ReferenceTactics:
    """A game that is told its actions and the cards that are drawn.

    Attributes:
        mover: The player whose turn it is, or who draws at its end.
        phase: "deal" or "draw" if the next event is a draw, "act" if it is an action, or "over".
        events: How often each of the rarer rules was applied.
    """

    def __init__(
        self,
        board: str = "standard",
        deck: str | dict[str, int] | None = None,
        action_points: int = 5,
        pruned: bool = False,
        max_turns: int = 200,
    ) -> None:
        deck = deck or (board if board in DECKS else "standard")
        cards = DECKS[deck] if isinstance(deck, str) else deck
        self.board = tuple(row.strip() for row in BOARDS.get(board, board).split("/"))
        self.letters = {
            (column, row): letter
            for row, letters in enumerate(self.board)
            for column, letter in enumerate(letters)
        }
        self.pieces = {
            square: Piece("crystal", CRYSTAL.index(letter), CLASSES["crystal"].hp)
            for square, letter in self.letters.items()
            if letter in CRYSTAL
        }
        self.hands: list[Counter[str]] = [Counter(), Counter()]
        self.decks = [Counter(cards), Counter(cards)]
        self.mover = 0
        self.action_points = min(3, action_points)
        self.turn = 0
        self.phase = "deal"
        self.winner: int | None = None
        self.events: Counter[str] = Counter()
        self._points_a_turn = action_points
        self._is_pruned = pruned
        self._max_turns = max_turns

    # The position

    @property
    def current_player(self) -> int:
        """The player to move, CHANCE if a card is drawn next, or TERMINAL."""
        return {"act": self.mover, "over": TERMINAL}.get(self.phase, CHANCE)

    @property
    def units(self) -> set[Unit]:
        """All that stands on the board, in the words of the package."""
        return {
            Unit(piece.kind, piece.player, name(square), piece.hp, frozenset(piece.equipment))
            for square, piece in self.pieces.items()
        }

    def is_living(self, square: Square, player: int) -> bool:
        """Whether a unit or crystal of a player with hit points is on a square."""
        piece = self.pieces.get(square)
        return piece is not None and piece.player == player and not piece.is_body

    def own_units(self) -> list[tuple[Square, Piece]]:
        return [
            (square, piece)
            for square, piece in self.pieces.items()
            if self.is_living(square, self.mover) and not piece.is_crystal
        ]

    def has_lost(self, player: int) -> bool:
        """Whether a player has no crystal, or no unit on the board, in hand and in the deck."""
        own = [piece.is_crystal for piece in self.pieces.values() if piece.player == player]
        unit_cards = [card for card in self.cards(player) if card not in ITEMS]
        return not any(own) or (all(own) and not unit_cards)

    def cards(self, player: int) -> list[str]:
        return list((self.hands[player] + self.decks[player]).elements())

    # Draws

    def chance_outcomes(self) -> dict[str, Fraction]:
        deck, hand = self.decks[self.mover], self.hands[self.mover]
        if self.phase == "deal":
            wants_unit = hand.total() < DEALT_UNITS
            deck = Counter({card: n for card, n in deck.items() if wants_unit != (card in ITEMS)})
        return {card: Fraction(n, deck.total()) for card, n in deck.items() if n}

    def draw(self, card: str) -> None:
        assert card in self.chance_outcomes(), f"{card} is drawn, but cannot be"
        self.decks[self.mover][card] -= 1
        self.hands[self.mover][card] += 1
        if self.phase == "draw":
            self._draw_or_pass_on()
        elif self.hands[self.mover].total() == HAND_SIZE:
            self.phase = "act" if self.mover == 1 else "deal"
            self.mover = 1 - self.mover

    # Legal actions

    def legal_actions(self) -> set[TacticsAction]:
        """The actions of the mover, without those that pruning removes; none at other nodes."""
        if self.phase != "act":
            return set()
        actions = set(self._actions())
        kept = self.pruned(actions) if self._is_pruned else actions
        self.events["pruning undone"] += not kept
        return kept or actions

    def _actions(self) -> Iterator[TacticsAction]:
        yield from self._unit_actions()
        yield from self._card_actions()

    def _unit_actions(self) -> Iterator[TacticsAction]:
        for source, piece in self.own_units():
            for target in self.letters:
                for kind, is_legal in (
                    ("move", self.can_move(source, target)),
                    ("attack", self.can_attack(source, target)),
                    ("heal", piece.kind == "cleric" and self.can_heal(source, target)),
                    ("swap", piece.kind == "ninja" and self.can_swap(source, target)),
                ):
                    if is_legal:
                        yield TacticsAction(kind, name(source), name(target), None)

    def _card_actions(self) -> Iterator[TacticsAction]:
        for card in set(self.hands[self.mover].elements()):
            if self.decks[self.mover].total() > 0:
                yield TacticsAction("swap_card", None, None, card)
            for target in self.letters:
                if card == "inferno":
                    yield TacticsAction("inferno", None, name(target), card)
                elif card in ITEMS and self.can_equip(card, target):
                    yield TacticsAction("equip", None, name(target), card)
                elif card not in ITEMS and self.can_deploy(target):
                    yield TacticsAction("deploy", None, name(target), card)

    def can_move(self, source: Square, target: Square) -> bool:
        """Whether a unit may go to a square: others do not stand in its way, only on the target."""
        piece, there = self.pieces[source], self.pieces.get(target)
        if piece.kind == "cleric" and there is not None and there.player == piece.player:
            return False
        is_near = 0 < distance(source, target) <= CLASSES[piece.kind].speed
        return is_near and self.can_stand(piece.player, target)

    def can_stand(self, player: int, square: Square) -> bool:
        """Whether a square of the board has no living unit and is no deploy square of the other."""
        if square not in self.letters or self.letters[square] == DEPLOY[1 - player]:
            return False
        return square not in self.pieces or self.pieces[square].is_body

    def can_attack(self, source: Square, target: Square) -> bool:
        reach = CLASSES[self.pieces[source].kind].range
        is_enemy = self.is_living(target, 1 - self.mover)
        if not is_enemy or distance(source, target) > reach:
            return False
        is_visible = is_neighbour(source, target) or not any(
            self.is_living(square, 1 - self.mover) for square in squares_between(source, target)
        )
        self.events["sight blocked"] += not is_visible
        return is_visible

    def can_heal(self, source: Square, target: Square) -> bool:
        """Whether a cleric reaches another own unit that is wounded or knocked out."""
        piece = self.pieces.get(target)
        if piece is None or piece.player != self.mover or piece.is_crystal:
            return False
        return 0 < distance(source, target) <= HEAL_RANGE and (piece.is_wounded or piece.is_body)

    def can_swap(self, source: Square, target: Square) -> bool:
        """Whether another living own unit, which is no crystal, is on the target."""
        is_own = self.is_living(target, self.mover) and not self.pieces[target].is_crystal
        return source != target and is_own

    def can_deploy(self, target: Square) -> bool:
        return self.letters[target] == DEPLOY[self.mover] and self.can_stand(self.mover, target)

    def can_equip(self, item: str, target: Square) -> bool:
        """Whether an own unit can take an item, or needs a potion."""
        piece = self.pieces.get(target)
        if piece is None or piece.player != self.mover or piece.is_crystal:
            return False
        if item == "potion":
            return piece.is_wounded or piece.is_body
        return not piece.is_body and item not in piece.equipment

    def pruned(self, actions: set[TacticsAction]) -> set[TacticsAction]:
        """The actions without useless infernos and swaps of a card held once; may be none."""
        useless = {name(centre) for centre in self.useless_infernos()}
        return {
            action
            for action in actions
            if not (action.kind == "inferno" and action.target in useless)
            and not (action.kind == "swap_card" and self.hands[self.mover][action.card] == 1)
        }

    def useless_infernos(self) -> list[Square]:
        """The centres that reach nothing, less than another, or the same as an earlier one."""
        targets = {centre: self.inferno_targets(centre) for centre in self.letters}
        return [
            centre
            for centre in targets
            if not targets[centre]
            or any(
                targets[centre] < targets[other]
                or (targets[centre] == targets[other] and row_by_row(other) < row_by_row(centre))
                for other in targets
            )
        ]

    def inferno_targets(self, centre: Square) -> set[Square]:
        """The squares around a centre where the mover's enemies are, crystals and bodies too."""
        return {
            square
            for square, piece in self.pieces.items()
            if piece.player != self.mover and (square == centre or is_neighbour(square, centre))
        }

    # Actions

    def apply(self, action: TacticsAction) -> None:
        source = action.source and place(action.source)
        target = action.target and place(action.target)
        if action.card is not None:
            self.hands[self.mover][action.card] -= 1
        match action.kind:
            case "move":
                self._put(self.pieces.pop(source), target)
            case "attack":
                self._attack(source, target)
            case "heal":
                self._heal(source, target)
            case "swap":
                self.events["swap"] += 1
                pieces = self.pieces
                pieces[source], pieces[target] = pieces[target], pieces[source]
            case "deploy":
                self._put(Piece(action.card, self.mover, CLASSES[action.card].hp), target)
            case "equip":
                self._equip(action.card, self.pieces[target])
            case "inferno":
                self._inferno(target)
            case "swap_card":
                self.events["swap_card"] += 1
                self.decks[self.mover][action.card] += 1
        self.action_points -= 1
        self._look_for_winner()
        if self.phase == "act":
            self._end_turn_if_spent()

    def _put(self, piece: Piece, square: Square) -> None:
        if square in self.pieces:
            self.events["body stomped"] += 1
        self.pieces[square] = piece

    def _attack(self, source: Square, target: Square) -> None:
        attacker, is_crystal = self.pieces[source], self.pieces[target].is_crystal
        power = self._spend_power(source)
        percent = CLOSE_PERCENT.get(attacker.kind, 100) if distance(source, target) == 1 else 100
        direction = sign(target[0] - source[0]), sign(target[1] - source[1])
        self._hit(attacker, target, power * percent)
        if attacker.kind == "knight" and not is_crystal:
            self._push(target, direction)
        if attacker.kind == "wizard":
            self._chain(attacker, target, direction, power)

    def power(self, square: Square) -> int:
        piece = self.pieces[square]
        power = CLASSES[piece.kind].power
        if "runemetal" in piece.equipment:
            power += CLASSES[piece.kind].power // 2
        if self.letters[square] == "P":
            power += 100
        return power * 3 if "scroll" in piece.equipment else power

    def _spend_power(self, square: Square) -> int:
        """The power of the unit on a square, whose scroll is used up."""
        power = self.power(square)
        self.events["scroll used"] += "scroll" in self.pieces[square].equipment
        self.pieces[square].equipment.discard("scroll")
        return power

    def _hit(self, attacker: Piece, target: Square, power_percent: int) -> None:
        """Takes hit points after the target's resistance; power times percent is given."""
        resistance = self.resistance(target, CLASSES[attacker.kind].attack)
        damage = power_percent * (100 - resistance) // 10000
        if self.pieces[target].is_crystal:
            damage += self.assault_bonus()
            self.events["assault bonus"] += self.assault_bonus() > 0
        self._hurt(target, damage)

    def resistance(self, square: Square, attack: str) -> int:
        """The percent of an attack that the unit on a square withstands."""
        piece = self.pieces[square]
        if attack == "magical":
            return CLASSES[piece.kind].magical + 20 * ("helm" in piece.equipment)
        armour = 20 * ("dragonscale" in piece.equipment)
        return CLASSES[piece.kind].physical + armour + 20 * (self.letters[square] == "S")

    def assault_bonus(self) -> int:
        """What the mover's living units on assault squares add to damage on crystals."""
        return ASSAULT_BONUS * sum(self.letters[square] == "A" for square, _ in self.own_units())

    def _hurt(self, square: Square, damage: int) -> None:
        """Takes hit points; a crystal without any leaves the board, a unit stays as a body."""
        piece = self.pieces[square]
        piece.hp = max(0, piece.hp - damage)
        if piece.is_crystal and piece.is_body:
            self.events["crystal destroyed"] += 1
            del self.pieces[square]

    def _push(self, square: Square, direction: Direction) -> None:
        piece, target = self.pieces[square], step(square, direction)
        if self.can_stand(piece.player, target):
            self.events["push"] += 1
            self.events["body pushed"] += piece.is_body
            self.events["push onto body"] += target in self.pieces
            self._put(self.pieces.pop(square), target)

    def _chain(self, attacker: Piece, at: Square, direction: Direction, power: int) -> None:
        """Hits up to two more enemies, each beside the last one."""
        for number, percent in enumerate(CHAIN_PERCENT, 1):
            jump = self.next_jump(at, direction)
            if jump is None:
                return
            self.events[f"chain {number}"] += 1
            self.events["chain turns"] += jump != direction
            at, direction = step(at, jump), jump
            self._hit(attacker, at, power * percent)

    def next_jump(self, at: Square, direction: Direction) -> Direction | None:
        """Straight on if an enemy is there, else the best direction but back."""
        back = -direction[0], -direction[1]
        for jump in (direction, *JUMPS):
            if jump != back and self.is_living(step(at, jump), 1 - self.mover):
                return jump
        return None

    def _heal(self, source: Square, target: Square) -> None:
        power, piece = self._spend_power(source), self.pieces[target]
        self.events["revive"] += piece.is_body
        gain = 2 * power if piece.is_body else 3 * power
        piece.hp = min(piece.hp + gain, piece.max_hp)

    def _equip(self, item: str, piece: Piece) -> None:
        if item != "potion":
            piece.equipment.add(item)
            if item in {"dragonscale", "helm"}:
                piece.hp = min(piece.hp + piece.hp // 10, piece.max_hp)
        elif piece.is_body:
            self.events["revive by potion"] += 1
            piece.hp = POTION_ON_BODY
        else:
            piece.hp = min(piece.hp + POTION, piece.max_hp)

    def _inferno(self, centre: Square) -> None:
        for square in self.inferno_targets(centre):
            piece = self.pieces[square]
            if piece.is_body:
                self.events["inferno on body"] += 1
                del self.pieces[square]
                continue
            self.events["inferno on crystal"] += piece.is_crystal
            damage = INFERNO + piece.is_crystal * self.assault_bonus()
            self._hurt(square, damage * (100 - self.resistance(square, "magical")) // 100)

    # The end of turn and game

    def _end_turn_if_spent(self) -> None:
        """Ends the turn if no action is left: its points are spent, or nothing is legal."""
        if self.action_points and any(self._actions()):
            return
        has_not_begun = self.action_points == self._points_a_turn
        for square, piece in list(self.pieces.items()):
            if piece.is_body and piece.player == self.mover:
                del self.pieces[square]
        self._look_for_winner()
        if self.phase == "over":
            self.events["win after bodies left"] += 1
            return
        self.turn += 1
        self.events["turn skipped" if has_not_begun else "turn cut short"] += self.action_points > 0
        if self.turn == self._max_turns:
            self.phase = "over"
            self.events["draw"] += 1
        else:
            self.phase = "draw"
            self._draw_or_pass_on()

    def _draw_or_pass_on(self) -> None:
        if self.hands[self.mover].total() < HAND_SIZE and self.decks[self.mover].total():
            return
        self.mover = 1 - self.mover
        self.action_points = self._points_a_turn
        self.phase = "act"
        self._end_turn_if_spent()

    def _look_for_winner(self) -> None:
        """Ends the game if a player has lost, the other one first."""
        for loser in (1 - self.mover, self.mover):
            if self.phase != "over" and self.has_lost(loser):
                self.phase, self.winner = "over", 1 - loser
                crystals = [p for p in self.pieces.values() if p.is_crystal and p.player == loser]
                self.events["win by units" if crystals else "win by crystals"] += 1

    # Evaluation

    def evaluation(self, player: int) -> int:
        if self.phase == "over":
            return {player: END_VALUE, None: 0}.get(self.winner, -END_VALUE)
        return self.material(player) - self.material(1 - player)

    def material(self, player: int) -> int:
        cards = sum(
            UNIT_CARD_VALUE.get(card, 0) + INFERNO_VALUE * (card == "inferno")
            for card in self.cards(player)
        )
        own = [square for square, piece in self.pieces.items() if piece.player == player]
        return cards + sum(self.piece_value(square) for square in own)

    def piece_value(self, square: Square) -> int:
        piece, letter = self.pieces[square], self.letters[square]
        equipment = sum(
            ITEM_VALUE[item] + EXTRA_VALUE[item].get(piece.kind, 0) for item in piece.equipment
        )
        if piece.is_body:
            return CLASSES[piece.kind].hp + equipment
        square_value = SQUARE_VALUE.get(letter, {}).get(piece.kind, 0)
        if letter in DEPLOY:
            square_value = DEPLOY_VALUE
        return piece.hp + 2 * CLASSES[piece.kind].hp + square_value + 2 * equipment


# Squares


def name(square: Square) -> str:
    """The name of a square: "a1" is the north-western one."""
    return "abcdefghijklmnopqrstuvwxyz"[square[0]] + str(square[1] + 1)


def place(name: str) -> Square:
    return "abcdefghijklmnopqrstuvwxyz".index(name[0]), int(name[1:]) - 1


def row_by_row(square: Square) -> tuple[int, int]:
    """Sorts squares from the north-western one, row by row."""
    return square[1], square[0]


def distance(a: Square, b: Square) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def is_neighbour(a: Square, b: Square) -> bool:
    """Whether a square is one of the eight around another."""
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def step(square: Square, direction: Direction) -> Square:
    """The next square in a direction, which may be off the board."""
    return square[0] + direction[0], square[1] + direction[1]


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def squares_between(a: Square, b: Square) -> set[Square]:
    """The squares other than a and b that the segment between their centres touches.

    A square, with its border, is touched if it overlaps the box around the segment, and if its
    centre is no farther from the line than its corners are in the direction across the line; both
    are compared in units of the same length.
    """
    across, down = b[0] - a[0], b[1] - a[1]
    box = {
        (column, row)
        for column in range(min(a[0], b[0]), max(a[0], b[0]) + 1)
        for row in range(min(a[1], b[1]), max(a[1], b[1]) + 1)
    }
    return {
        (column, row)
        for column, row in box - {a, b}
        if 2 * abs(across * (row - a[1]) - down * (column - a[0])) <= abs(across) + abs(down)
    }
