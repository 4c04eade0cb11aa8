"use client";
import { useId } from "react";
import { classes } from "./classes.ts";

type Option<Value extends string> = { value: Value; label: string };
type Props<Value extends string> = {
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  className?: string;
};

/** One of a few, side by side: radio buttons, so arrow keys move between them. */
export function Segmented<Value extends string>({ label, options, value, onChange, className }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className={classes("inline-flex rounded-md border border-edge/60 bg-surface p-0.5", className)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={classes(
            "relative rounded px-2.5 py-0.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
            option.value === value ? "bg-sunken font-medium text-text" : "text-muted hover:text-text",
          )}
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
