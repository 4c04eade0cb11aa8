import type { Square } from "../scene.ts";
import type { Ground, Position } from "./room.ts";

export const glyphs = ["#", "_", "O", "√", "X", "P", "S"] as const;

/** Returns the room in RAGEN's glyphs: `#` wall, `_` floor, `O` target, `X` box (`√` on target), `P` player (`S`). */
export function toText(ground: Ground, { player, boxes }: Position): string {
  const { cells, size } = ground;
  let text = "";
  for (let i = 0; i < cells.length; i++) {
    if (i > 0 && i % size === 0) text += "\n";
    const onTarget = cells[i] === "target";
    if (i === player) text += onTarget ? "S" : "P";
    else if (boxes.includes(i)) text += onTarget ? "√" : "X";
    else if (cells[i] === "wall") text += "#";
    else text += onTarget ? "O" : "_";
  }
  return text;
}

export function toSquares({ cells, size }: Ground, { player, boxes }: Position): Square[][] {
  const squares = cells.map((cell, i): Square => {
    const holds = i === player ? "player" : boxes.includes(i) ? "box" : undefined;
    return { isWall: cell === "wall", isTarget: cell === "target", ...(holds && { holds }) };
  });
  return Array.from({ length: size }, (_, row) => squares.slice(row * size, (row + 1) * size));
}

/** Converts a room's text to one word per cell, without the outer ring of walls. Other texts stay unchanged. */
export function toCellWords(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .slice(1, -1)
    .flatMap((row) => row.split("").slice(1, -1))
    .join(" ");
}

/** Inverts `toCellWords`: a square number of cells becomes a room with its outer wall. Other words stay a text. */
export function fromCellWords(words: string): string {
  const cells = words.split(" ");
  const inner = Math.sqrt(cells.length);
  if (inner < 2 || !Number.isInteger(inner) || !cells.every(isGlyph)) return words;
  const wall = "#".repeat(inner + 2);
  const rows = Array.from({ length: inner }, (_, row) => `#${cells.slice(row * inner, (row + 1) * inner).join("")}#`);
  return [wall, ...rows, wall].join("\n");
}

function isGlyph(word: string): boolean {
  return glyphs.some((glyph) => glyph === word);
}
