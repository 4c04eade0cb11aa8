import type { ReactNode } from "react";
import { classes } from "#app/_ui/classes.ts";

type Props = { children: ReactNode; isNext?: boolean; isChosen?: boolean; className?: string };

/** Draws a button or option of an environment's page; `isNext`: the policy clicks it next. */
export function Pressable({ children, isNext = false, isChosen = false, className }: Props) {
  return (
    <span
      className={classes(
        "inline-flex max-w-full items-center gap-1 rounded-md border px-2 py-0.5 text-sm",
        isNext ? "border-accent" : isChosen ? "border-text" : "border-edge/60",
        isChosen ? "bg-sunken font-semibold" : "bg-surface",
        className,
      )}
    >
      {isChosen && (
        <span>
          <span aria-hidden="true">✓</span>
          <span className="sr-only">chosen:</span>
        </span>
      )}
      <span className="min-w-0 break-words">{children}</span>
      {isNext && <NextMark />}
    </span>
  );
}

export function NextMark() {
  return <span className="rounded-full bg-accent px-1.5 text-xs font-medium text-on-accent">next</span>;
}

/** An object with its states (hot, sliced). `isNext`: the policy's next action names the object. */
type Thing = { name: string; states: readonly string[]; isNext: boolean };

type HolderTileProps = {
  name: string;
  things: readonly Thing[];
  /** State of the furniture or container in a few words, such as "open" or "empty". */
  note: string;
  isHere?: boolean;
  isNext: boolean;
};

export function HolderTile({ name, things, note, isHere = false, isNext }: HolderTileProps) {
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

export function InHand({ things }: { things: readonly Thing[] }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="text-sm text-muted">In hand</span>
      {things.length === 0 ? "nothing" : <Things things={things} />}
    </span>
  );
}
