import type { Moment } from "#server/engine/playground/play.ts";
import type { HouseholdReceptacle, RoomExit, Scene, SceneOf, Side, Square } from "#trainer/environments/scene.ts";
import { classes } from "#app/_ui/classes.ts";
import { HolderTile, InHand, Pressable, Things } from "./Pressable.tsx";
import { ShopDrawing } from "./ShopDrawing.tsx";

type Shown = Pick<Moment, "task" | "ending" | "observation" | "turns" | "scene">;
type Props = {
  moment: Shown;
  /** All turns of a recorded episode; the drawing marks the objects that the policy's next action names. */
  recorded?: readonly { action: string }[];
};

/** Shows task and observation: as text above the drawing, or collapsed below it if the drawing shows everything. */
export function Observation({ moment, recorded }: Props) {
  const { scene } = moment;
  const picture = scene && <SceneDrawing scene={scene} action={recorded?.[moment.turns.length]?.action} />;
  // True if the drawing shows everything in the text; drawings of ALFWorld and TextWorld omit some of it.
  const isWhole = scene?.environment === "sokoban" || scene?.environment === "webshop";
  return (
    <>
      <p className="mb-2">
        <span className="text-muted">Task </span>
        {moment.task}
      </p>
      {isWhole ? (
        <>
          {picture}
          <details className="mt-2">
            <summary className="cursor-pointer text-sm text-muted hover:text-text">
              The text that the policy reads
            </summary>
            <ObservedText moment={moment} />
          </details>
        </>
      ) : (
        <div className="flex flex-col gap-3">
          <ObservedText moment={moment} />
          {picture}
        </div>
      )}
    </>
  );
}

/** Draws the state of an environment, and marks the objects of `action`, the policy's next action, if known. */
function SceneDrawing({ scene, action }: { scene: Scene; action: string | undefined }) {
  switch (scene.environment) {
    case "sokoban":
      return <RoomDrawing rows={scene.rows} />;
    case "alfworld":
      return <HouseholdDrawing room={scene} action={action} />;
    case "textworld":
      return <TextWorldDrawing room={scene} action={action} />;
    case "webshop":
      return <ShopDrawing shop={scene} action={action} />;
  }
}

function ObservedText({ moment: { observation, ending, scene } }: { moment: Shown }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Observation"
      className={classes(
        "max-h-[32rem] overflow-auto rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap",
        scene?.environment === "sokoban" ? "text-xl leading-6 tracking-[0.35em]" : "text-sm leading-6",
      )}
    >
      {observation === "" ? <span className="font-sans text-muted">{describeEmpty(ending)}</span> : observation}
    </pre>
  );
}

function describeEmpty(ending: Moment["ending"]): string {
  return ending === "ongoing" ? "No observation yet, only the task." : "No further observation: the episode is over.";
}

type HouseholdDrawingProps = { room: SceneOf<"alfworld">; action: string | undefined };

/** Draws a room of ALFWorld with the objects observed so far, and marks those that `action` names. */
function HouseholdDrawing({ room, action }: HouseholdDrawingProps) {
  const { receptacles, carried, states } = room;
  const toThing = (name: string) => ({ name, states: states[name] ?? [], isNext: isNamed(action, name) });
  const isInMiddle = !receptacles.some(({ isHere }) => isHere);
  return (
    <div role="group" aria-label="Room" className="flex flex-col gap-3 rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <InHand things={carried === undefined ? [] : [toThing(carried)]} />
        {isInMiddle && <span className="text-sm text-muted">in the middle of the room</span>}
      </p>
      <ul aria-label="Receptacles" className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-2">
        {receptacles.map((receptacle) => (
          <HolderTile
            key={receptacle.name}
            name={receptacle.name}
            things={receptacle.objects.map(toThing)}
            note={describeReceptacle(receptacle)}
            isHere={receptacle.isHere}
            isNext={isNamed(action, receptacle.name)}
          />
        ))}
      </ul>
      <p className="text-xs text-muted">Shows only objects that were observed so far in this episode.</p>
    </div>
  );
}

function describeReceptacle({ isOpen, isSeen, objects }: HouseholdReceptacle): string {
  const words = [
    ...(isOpen === undefined ? [] : [isOpen ? "open" : "closed"]),
    ...(isSeen ? (objects.length === 0 ? ["empty"] : []) : ["contents unknown"]),
  ];
  return words.join(", ");
}

type TextWorldDrawingProps = { room: SceneOf<"textworld">; action: string | undefined };

/** Draws a room of TextWorld with exits, furniture and objects, and marks those that `action` names. */
function TextWorldDrawing({ room, action }: TextWorldDrawingProps) {
  const { name, furniture, exits, floor, carried } = room;
  const toThing = (thing: string) => ({ name: thing, states: [], isNext: isNamed(action, thing) });
  const side = (direction: Side) => <ExitAt exits={exits} direction={direction} action={action} />;
  return (
    <div role="group" aria-label="Room" className="flex flex-col gap-2 rounded-md border border-line p-3">
      <div className="flex justify-center">{side("north")}</div>
      <div className="flex items-center gap-2">
        {side("west")}
        <div className="flex min-w-0 flex-1 flex-col gap-2 rounded-md border-2 border-edge p-3">
          <p className="font-semibold">{name}</p>
          {furniture.length > 0 && (
            <ul
              aria-label="Furniture"
              className="grid grid-cols-[repeat(auto-fill,minmax(min(7.5rem,100%),1fr))] gap-2"
            >
              {furniture.map((one) => (
                <HolderTile
                  key={one.name}
                  name={one.name}
                  things={one.things.map(toThing)}
                  note={one.condition ?? ""}
                  isNext={isNamed(action, one.name)}
                />
              ))}
            </ul>
          )}
          {floor.length > 0 && (
            <div className="flex flex-wrap items-center gap-2">
              <span className="text-sm text-muted">On the floor</span>
              <Things things={floor.map(toThing)} />
            </div>
          )}
        </div>
        {side("east")}
      </div>
      <div className="flex justify-center">{side("south")}</div>
      <InHand things={carried.map(toThing)} />
    </div>
  );
}

const arrows: Readonly<Record<Side, string>> = { north: "↑", south: "↓", east: "→", west: "←" };

type SideProps = { exits: readonly RoomExit[]; direction: Side; action: string | undefined };

function ExitAt({ exits, direction, action }: SideProps) {
  return exits
    .filter((exit) => exit.direction === direction)
    .map(({ door }) => (
      <Pressable
        key={direction}
        isNext={isNamed(action, direction) || (door !== undefined && isNamed(action, door.name))}
        className="max-w-24 flex-wrap justify-center text-center sm:max-w-40"
      >
        <span aria-hidden="true">{arrows[direction]} </span>
        {direction}
        {door && (
          <span className="block text-xs text-muted">
            {door.name}, {door.condition}
          </span>
        )}
      </Pressable>
    ));
}

/** Returns true if an action names the object: `take mug 1 from desk 1` names `mug 1`, `take mug 12` does not. */
function isNamed(action: string | undefined, name: string): boolean {
  return ` ${action ?? ""} `.includes(` ${name} `);
}

const size = 32;

/** Draws a Sokoban room as tiles: walls, targets as rings, boxes (with a check if on a target), and the player. */
function RoomDrawing({ rows }: { rows: readonly (readonly Square[])[] }) {
  const [width, height] = [size * (rows[0]?.length ?? 0), size * rows.length];
  return (
    <svg
      role="img"
      aria-label={describeRoom(rows)}
      width={1.5 * width}
      height={1.5 * height}
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

/** Describes a Sokoban room in one sentence; rows and columns are counted from 1 at the upper left. */
function describeRoom(rows: readonly (readonly Square[])[]): string {
  const list = (name: string, matches: (square: Square) => boolean) => {
    const places = rows.flatMap((row, r) =>
      row.flatMap((square, c) => (matches(square) ? [`row ${r + 1} column ${c + 1}`] : [])),
    );
    return places.length === 0 ? [] : [`${name} at ${places.join(" and ")}`];
  };
  return [
    ...list("player", ({ holds }) => holds === "player"),
    ...list("box", ({ holds, isTarget }) => holds === "box" && !isTarget),
    ...list("box on its target", ({ holds, isTarget }) => holds === "box" && isTarget),
    ...list("free target", ({ holds, isTarget }) => isTarget && holds !== "box"),
  ].join("; ");
}
