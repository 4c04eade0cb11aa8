import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";

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

/** Shapes of dots by mark, on a 10 × 10 grid; the first is a disc. All but the ring are filled. */
const shapes = [
  "M5 .5a4.5 4.5 0 1 0 .01 0",
  "M5 1.5a3.5 3.5 0 1 0 .01 0",
  "M1 1h8v8H1z",
  "M5 0l5 5-5 5-5-5z",
  "M5 .5l5 9H0z",
  "M0 .5h10L5 9.5z",
] as const;

/** Dot in the look of a configuration, the same on all pages; its shape belongs to the dash of the lines. */
export function ConfigurationDot({ color, mark = 0 }: { color: string | undefined; mark?: number | undefined }) {
  const isRing = mark === 1;
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className="mr-2 inline-block size-2.5 shrink-0">
      <path d={shapes[mark]} fill={isRing ? "none" : color} stroke={color} strokeWidth={isRing ? 2 : 0} />
    </svg>
  );
}
