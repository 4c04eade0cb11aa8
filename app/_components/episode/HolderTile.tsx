import { classes } from "#app/_ui/classes.ts";
import { NextMark, Pressable } from "./Pressable.tsx";

/** An object with the states that the texts give (hot, sliced). `isNext`: the next action names it. */
export type Thing = { name: string; states: readonly string[]; isNext: boolean };

type Props = {
  name: string;
  things: readonly Thing[];
  /** State in a few words: open, empty. */
  note: string;
  isHere?: boolean;
  isNext: boolean;
};

/** A piece of furniture or a container, and the objects in or on it. */
export function HolderTile({ name, things, note, isHere = false, isNext }: Props) {
  return (
    <li
      className={classes(
        "flex min-h-16 flex-col gap-1.5 rounded-md border p-2",
        isNext ? "border-accent" : isHere ? "border-text" : "border-line",
        isHere ? "bg-surface" : "bg-sunken",
      )}
    >
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{name}</span>
        {isNext && <NextMark />}
        {isHere && <span className="ml-auto text-xs font-medium">here</span>}
      </span>
      {things.length > 0 && <Things things={things} />}
      {note !== "" && <span className="mt-auto text-xs text-muted">{note}</span>}
    </li>
  );
}

export function Things({ things }: { things: readonly Thing[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {things.map(({ name, states, isNext }) => (
        <Pressable key={name} isNext={isNext}>
          {states.length > 0 && <em className="mr-1">{states.join(", ")}</em>}
          {name}
        </Pressable>
      ))}
    </span>
  );
}

/** The objects that the player carries. */
export function InHand({ things }: { things: readonly Thing[] }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="text-sm text-muted">In hand</span>
      {things.length === 0 ? "nothing" : <Things things={things} />}
    </span>
  );
}
