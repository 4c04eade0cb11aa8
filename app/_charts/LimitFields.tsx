"use client";
import { useState } from "react";
import { Button } from "../_ui/Button.tsx";
import { Field } from "../_ui/Field.tsx";
import { Input } from "../_ui/Input.tsx";
import { findLimitErrors, parseLimit, type Limits } from "./limits.ts";

type Props = { limits: Limits | undefined; isLog: boolean; onChange: (limits: Limits) => void };

/** Fields for the limits of the y-axis; they apply once both are valid. */
export function LimitFields({ limits, isLog, onChange }: Props) {
  const [typed, setTyped] = useState({ low: String(limits?.low ?? ""), high: String(limits?.high ?? "") });
  const errors = findLimitErrors(typed, isLog);
  const write = (next: typeof typed) => {
    setTyped(next);
    if (Object.keys(findLimitErrors(next, isLog)).length === 0) {
      onChange({ low: parseLimit(next.low), high: parseLimit(next.high) });
    }
  };
  const ends = [
    { end: "low", label: "y from" },
    { end: "high", label: "to" },
  ] as const;
  return (
    <div className="flex items-start gap-2">
      {ends.map(({ end, label }) => (
        <Field key={end} label={label} error={errors[end]} className="flex-1">
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="decimal"
              placeholder="data"
              value={typed[end]}
              onChange={({ target }) => write({ ...typed, [end]: target.value })}
            />
          )}
        </Field>
      ))}
      <Button
        kind="quiet"
        className="mt-5.5"
        disabled={typed.low + typed.high === ""}
        onClick={() => write({ low: "", high: "" })}
      >
        Reset
      </Button>
    </div>
  );
}
