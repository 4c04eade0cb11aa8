import { colourIndex } from "#server/domain/plan/sweep/colours.ts";
import { methodColour } from "./methodColour.ts";

/** A method's name with its colour; `names` are all methods of its sweep. */
export function MethodChip({ name, names }: { name: string; names: readonly string[] }) {
  return (
    <span className="inline-flex items-center gap-1.5 rounded-full border border-line px-2 py-px text-xs">
      <span
        aria-hidden="true"
        className="size-2 shrink-0 rounded-full"
        style={{ background: methodColour(colourIndex(name, names)) }}
      />
      {name}
    </span>
  );
}

/** Colour of a method before its name in a table; `names` are all methods of the table. */
export function MethodDot({ name, names }: { name: string; names: readonly string[] }) {
  return (
    <span
      aria-hidden="true"
      className="mr-2 inline-block size-2.5 shrink-0 rounded-full"
      style={{ background: methodColour(colourIndex(name, names)) }}
    />
  );
}
