"use client";
import type { ReactNode } from "react";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { classes } from "#app/_ui/classes.ts";
import { optionalPartAt } from "../draft/optionalParts.ts";

type Props = {
  /** Path of the optional part. */
  part: string;
  isOn: boolean;
  problem?: string | undefined;
  onSwitch: (isOn: boolean) => void;
  className?: string;
  children: ReactNode;
};

/** A switch for an optional part of the specification, with its fields while it is on. */
export function OptionalFields({ part, isOn, problem, onSwitch, className, children }: Props) {
  const { title, hint } = optionalPartAt(part);
  return (
    <div className={classes("min-w-0", className)}>
      <Checkbox
        label={<span className="text-sm font-medium">{title}</span>}
        checked={isOn}
        onChange={({ target }) => onSwitch(target.checked)}
      />
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {problem && <p className="text-xs text-bad">{problem}</p>}
      {isOn && children}
    </div>
  );
}
