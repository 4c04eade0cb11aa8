import { colourIndex } from "#server/domain/plan/sweep/colours.ts";
import { methodColour } from "./methodColour.ts";

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
