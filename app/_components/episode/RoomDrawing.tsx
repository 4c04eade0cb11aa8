import type { Square } from "#trainer/environments/scene.ts";

const size = 32;

/** A Sokoban room as tiles: walls, targets as rings, boxes, those on a target with a check, and the player. */
export function RoomDrawing({ rows }: { rows: readonly (readonly Square[])[] }) {
  const [width, height] = [size * (rows[0]?.length ?? 0), size * rows.length];
  return (
    <svg
      role="img"
      aria-label={describeRoom(rows)}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="h-auto max-w-full rounded-md"
    >
      {rows.flatMap((row, r) =>
        row.map((square, c) => (
          <g key={`${r} ${c}`} transform={`translate(${c * size} ${r * size})`}>
            <Tile square={square} />
          </g>
        )),
      )}
    </svg>
  );
}

function Tile({ square: { isWall, isTarget, holds } }: { square: Square }) {
  const middle = size / 2;
  return (
    <>
      <rect
        width={size}
        height={size}
        fill={isWall ? "var(--edge)" : "var(--sunken)"}
        stroke="var(--surface)"
        strokeWidth={1}
      />
      {isTarget && (
        <circle
          cx={middle}
          cy={middle}
          r={11}
          fill="none"
          stroke="var(--muted)"
          strokeWidth={2}
          strokeDasharray="4 3"
        />
      )}
      {holds === "box" && (
        <>
          <rect
            x={5}
            y={5}
            width={size - 10}
            height={size - 10}
            rx={3}
            fill={isTarget ? "var(--good)" : "var(--caution)"}
            stroke="var(--text)"
            strokeWidth={1.5}
          />
          <path
            d={isTarget ? "M10 16l4.5 4.5L22.5 12" : "M5.5 5.5l21 21m0 -21l-21 21"}
            fill="none"
            stroke={isTarget ? "var(--surface)" : "var(--text)"}
            strokeWidth={isTarget ? 2.5 : 1}
            opacity={isTarget ? 1 : 0.5}
          />
        </>
      )}
      {holds === "player" && (
        <>
          <circle cx={middle} cy={11} r={5} fill="var(--accent)" />
          <path d="M7 27c0 -6 4 -10 9 -10s9 4 9 10z" fill="var(--accent)" />
        </>
      )}
    </>
  );
}

/** A room in one sentence, rows and columns counted from 1 at the upper left. */
function describeRoom(rows: readonly (readonly Square[])[]): string {
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
