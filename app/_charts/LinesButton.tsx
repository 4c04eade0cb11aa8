"use client";
import type { ComponentProps } from "react";
import { Popover } from "../_ui/Popover.tsx";
import { groupAlike, Legend } from "./Legend.tsx";
import { minCrowded } from "./overSeeds.ts";

/** The legend: inline for few lines. For many, whose names are at their ends, it is behind a button; on a phone always inline. */
export function LinesButton(props: ComponentProps<typeof Legend>) {
  const { entries, settings } = props;
  if (entries.length < minCrowded) return <Legend {...props} />;
  const alike = groupAlike(entries);
  const numShown = alike.filter((same) => same.some(({ id }) => !settings.hidden.has(id))).length;
  const numbers = numShown < alike.length ? `${numShown} of ${alike.length}` : String(alike.length);
  return (
    <>
      <span className="max-md:hidden">
        <Popover label="Lines shown" button={`Lines: ${numbers} ▾`} buttonClassName="control text-sm">
          {() => <Legend {...props} isList />}
        </Popover>
      </span>
      <span className="md:hidden">
        <Legend {...props} />
      </span>
    </>
  );
}
