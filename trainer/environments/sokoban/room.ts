/** Walls, floor and targets of a square room, row by row, which never change. The outermost ring is wall. */
export type Ground = {
  readonly size: number;
  readonly cells: readonly Cell[];
  /** Indices of the target cells in ascending order. */
  readonly targets: readonly number[];
};
type Cell = "wall" | "floor" | "target";

/** Cell indices of the player and of each box, which change with each move. */
export type Position = { readonly player: number; readonly boxes: readonly number[] };

export const directions = ["up", "down", "left", "right"] as const;
export type Direction = (typeof directions)[number];

/** Returns the difference in cell index between a cell and its neighbour in a direction. */
export function offset({ size }: Ground, direction: Direction): number {
  switch (direction) {
    case "up":
      return -size;
    case "down":
      return size;
    case "left":
      return -1;
    case "right":
      return 1;
  }
}

/** Returns the ground with these targets instead of its own. */
export function withTargets(ground: Ground, targets: readonly number[]): Ground {
  const sorted = [...targets].sort((a, b) => a - b);
  const cells = ground.cells.map((cell, i) => (cell === "wall" ? "wall" : sorted.includes(i) ? "target" : "floor"));
  return { size: ground.size, cells, targets: sorted };
}

/** Makes one move: a step, or a push of a box with a free cell behind it. A blocked move returns the same position. */
export function move(ground: Ground, position: Position, direction: Direction): Position {
  const by = offset(ground, direction);
  const player = position.player + by;
  if (ground.cells[player] === "wall") return position;
  const boxIndex = position.boxes.indexOf(player);
  if (boxIndex === -1) return { player, boxes: position.boxes };
  const box = player + by;
  if (ground.cells[box] === "wall" || position.boxes.includes(box)) return position;
  return { player, boxes: position.boxes.with(boxIndex, box) };
}

export function countOnTargets(ground: Ground, { boxes }: Position): number {
  return boxes.filter((box) => ground.cells[box] === "target").length;
}

export function isSolved(ground: Ground, position: Position): boolean {
  return countOnTargets(ground, position) === ground.targets.length;
}
