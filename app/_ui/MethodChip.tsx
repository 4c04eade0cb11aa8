import { methodColour } from "./methodColour.ts";

/** A method's name with its colour in this sweep. */
export function MethodChip({ name, index }: { name: string; index: number }) {
  return (
    <span className="inline-flex items-center gap-1.5 rounded-full border border-line px-2 py-px text-xs whitespace-nowrap">
      <span aria-hidden="true" className="size-2 rounded-full" style={{ background: methodColour(index) }} />
      {name}
    </span>
  );
}
