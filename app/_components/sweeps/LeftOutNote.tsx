"use client";
import { type DependentChoice, hasDependent, type LeftOut, tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { dependentPart } from "./dependentAddress.ts";

export function useDependent(): { dependent?: DependentChoice } {
  const [dependent] = useAddress(dependentPart);
  return dependent === "added" ? { dependent } : {};
}

/** Names the runs that an analysis leaves out, with a button that adds them, or leaves them out again. */
export function LeftOutNote({ leftOut }: { leftOut: LeftOut | null }) {
  const [choice, setChoice] = useAddress(dependentPart);
  const isAdded = choice === "added";
  if (!leftOut && !isAdded) return null;
  return (
    <Notice>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>{leftOut ? tellLeftOut(leftOut) : "All runs are drawn from plans."}</span>
        {(isAdded || (leftOut && hasDependent(leftOut))) && (
          <Button onClick={() => setChoice(isAdded ? "leftOut" : "added")}>
            {isAdded ? "Leave them out" : "Add them"}
          </Button>
        )}
      </span>
    </Notice>
  );
}
