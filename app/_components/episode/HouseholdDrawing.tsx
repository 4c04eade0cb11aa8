import { HolderTile, InHand } from "./HolderTile.tsx";
import { isNamed } from "./isNamed.ts";
import type { HouseholdReceptacle, SceneOf } from "#trainer/environments/scene.ts";

type Props = { room: SceneOf<"alfworld">; action: string | undefined };

/**
 * A room of ALFWorld: a tile for each receptacle with the objects last observed in or on it, and the objects that the
 * player carries. `action` is the next action, if it is known; its targets are marked.
 */
export function HouseholdDrawing({ room, action }: Props) {
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
      <p className="text-xs text-muted">Shows only what the policy was shown in this episode.</p>
    </div>
  );
}

function describeReceptacle({ isOpen, isSeen, objects }: HouseholdReceptacle): string {
  const words = [
    ...(isOpen === undefined ? [] : [isOpen ? "open" : "closed"]),
    ...(isSeen ? (objects.length === 0 ? ["empty"] : []) : ["not looked into yet"]),
  ];
  return words.join(", ");
}
