// Room for the rings on a tile, where meeples can be placed.

/** The points, moved apart until each two have the distance. */
export function spread(points, distance) {
  const moved = points.map((point) => [...point]);
  for (let round = 0, isDone = false; round < 200 && !isDone; round += 1) {
    isDone = true;
    moved.forEach((one, i) => moved.slice(0, i).forEach((other) => {
      const [dx, dy] = [one[0] - other[0], one[1] - other[1]];
      const far = Math.hypot(dx, dy) || 1e-6;
      if (far >= distance) return;
      isDone = false;
      const push = (distance + 0.5 - far) / 2 / far;
      [one[0], one[1], other[0], other[1]] = [one[0] + dx * push, one[1] + dy * push, other[0] - dx * push, other[1] - dy * push];
    }));
  }
  return moved;
}

