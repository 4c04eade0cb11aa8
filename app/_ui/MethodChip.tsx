import { colourIndex } from "#server/domain/plan/sweep/methods/colours.ts";
import { methodColour } from "./methodColour.ts";

/** Shows a method's name with its colour; `names` lists the methods of the sweep, which determine the colour. */
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

/** Dot in a method's colour, before its name in a table; `names` lists the table's methods, which set the colour. */
export function MethodDot({ name, names }: { name: string; names: readonly string[] }) {
  return (
    <span
      aria-hidden="true"
      className="mr-2 inline-block size-2.5 shrink-0 rounded-full"
      style={{ background: methodColour(colourIndex(name, names)) }}
    />
  );
}
