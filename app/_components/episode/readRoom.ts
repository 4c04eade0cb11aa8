/** Content of one square of a Sokoban room. */
export type Square = { isWall: boolean; isTarget: boolean; holds?: "box" | "player" };

const squares: Readonly<Record<string, Square>> = {
  "#": { isWall: true, isTarget: false },
  _: { isWall: false, isTarget: false },
  O: { isWall: false, isTarget: true },
  X: { isWall: false, isTarget: false, holds: "box" },
  "√": { isWall: false, isTarget: true, holds: "box" },
  P: { isWall: false, isTarget: false, holds: "player" },
  S: { isWall: false, isTarget: true, holds: "player" },
};

/** Parses a room into rows of squares from the policy's observation; undefined if the text is not a room. */
export function readRoom(text: string): Square[][] | undefined {
  const rows = text.split("\n").map((line) => Array.from(line, (symbol) => squares[symbol]));
  const width = rows[0]?.length ?? 0;
  if (rows.length < 3 || rows.some((row) => row.length !== width)) return undefined;
  const known = rows.map((row) => row.filter((square) => square !== undefined));
  return known.every((row) => row.length === width) ? known : undefined;
}

/** A room in one sentence, rows and columns counted from 1 at the upper left. */
export function describeRoom(rows: readonly (readonly Square[])[]): string {
  const find = (matches: (square: Square) => boolean) =>
    rows.flatMap((row, r) => row.flatMap((square, c) => (matches(square) ? [`row ${r + 1} column ${c + 1}`] : [])));
  const list = (name: string, places: readonly string[]) =>
    places.length === 0 ? [] : [`${name} at ${places.join(" and ")}`];
  return [
    ...list(
      "player",
      find(({ holds }) => holds === "player"),
    ),
    ...list(
      "box",
      find(({ holds, isTarget }) => holds === "box" && !isTarget),
    ),
    ...list(
      "box on its target",
      find(({ holds, isTarget }) => holds === "box" && isTarget),
    ),
    ...list(
      "free target",
      find(({ holds, isTarget }) => isTarget && holds !== "box"),
    ),
  ].join("; ");
}
