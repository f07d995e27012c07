// Words beside the tile in hand: what the move that is chosen would do, and what has been scored since the last turn.

import { isYou, list, say } from "./words.js";

/** What a move would do: points at once, and the features with meeples that it joins, with the chance that they are completed and their points so far. */
export function previewWords({ points, joins }, { seats, player }) {
  const whose = (owners) => list(owners.map((owner) => (owner === player ? say("own") : say("owned_by", { name: seats[owner].name }))));
  const gains = points.map((gained, i) => (gained ? say(i === player || isYou(seats[i].name) ? "gain_now" : "gain_of", { points: say("num_points", { count: gained }), name: seats[i].name }) : null)).filter(Boolean);
  const parts = joins.map(({ kind, owners, chance, points: worth }) => {
    const feature = say("kind_of", { owners: whose(owners), kind: say(`kind_${kind}`) });
    const words = chance === null ? feature : say("chance", { feature, percent: Math.round(100 * chance) });
    return `${words}, ${say("if_ended", { points: `+${worth}` })}`;
  });
  return [...(gains.length ? gains : [say("no_gain")]), ...parts].join(" · ");
}

/** The points that the moves since the last one of the player to move have brought, by player. */
export function gainedWords({ record, ply, seats, player }) {
  const past = record.slice(0, ply);
  const since = past.slice(past.findLastIndex(({ placement }) => placement.player === player) + 1);
  const points = seats.map((_, i) => since.reduce((sum, line) => sum + line.points[i], 0));
  return points.map((gained, i) => (gained ? say("has_scored", { points: gained, name: seats[i].name }) : "")).filter(Boolean).join(" · ");
}
