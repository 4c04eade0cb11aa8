import { HolderTile, InHand, Things } from "./HolderTile.tsx";
import { isNamed } from "./isNamed.ts";
import { Pressable } from "./Pressable.tsx";
import type { RoomExit, SceneOf, Side } from "#trainer/environments/scene.ts";

type Props = { room: SceneOf<"textworld">; action: string | undefined };

/**
 * A room of TextWorld: exits at its four sides, furniture and containers with their contents, the objects on the floor, and
 * the objects that the player carries. `action` is the next action, if it is known; its targets are marked.
 */
export function TextWorldDrawing({ room, action }: Props) {
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
