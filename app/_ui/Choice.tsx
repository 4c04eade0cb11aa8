"use client";
import { useId, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { Field, type FieldWiring } from "./Field.tsx";

export type Option<Value extends string> = {
  value: Value;
  label: string;
  /** Heading of the option's group in a menu; options without a group come first. */
  group?: string;
};

/** Lists options with their titles. */
export function toOptions<Value extends string>(titles: Record<Value, string>): { value: Value; label: string }[] {
  return Object.entries<string>(titles).map(([value, label]) => ({ value: value as Value, label }));
}

type Props<Value extends string> = {
  label: string;
  options: readonly Option<Value>[];
  /** Chosen value. If it is not among the options, a menu shows the first option. */
  value: Value;
  onChange: (value: Value) => void;
  className?: string;
};

/** Control for choosing one option, from a menu or from buttons. Only screen readers announce the label. */
export function Choice<Value extends string>({ as = "menu", ...props }: Props<Value> & { as?: "buttons" | "menu" }) {
  return as === "buttons" ? <Buttons {...props} /> : <Menu {...props} wiring={{ "aria-label": props.label }} />;
}

export function ChoiceBeside<Value extends string>({ label, ...menu }: Props<Value>) {
  return (
    <label className="inline-flex max-w-full min-w-0 items-center gap-2">
      {label}
      <Menu {...menu} />
    </label>
  );
}

type FieldProps<Value extends string> = Props<Value> & { hint?: ReactNode; error?: string | undefined };

export function ChoiceField<Value extends string>({ label, hint, error, className, ...menu }: FieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error} className={className ?? ""}>
      {(wiring) => <Menu {...menu} wiring={wiring} className="w-full" />}
    </Field>
  );
}

type MenuProps<Value extends string> = Pick<Props<Value>, "options" | "value" | "onChange" | "className"> & {
  wiring?: FieldWiring | { "aria-label": string };
};

function Menu<Value extends string>({ options, value, onChange, className, wiring }: MenuProps<Value>) {
  const pick = (text: string) => {
    const option = options.find((one) => one.value === text);
    if (option) onChange(option.value);
  };
  const groups = [...new Set(options.flatMap(({ group }) => group ?? []))];
  return (
    <select
      {...wiring}
      className={classes("control min-w-0 pr-7", className)}
      value={value}
      onChange={({ target }) => pick(target.value)}
    >
      <MenuItems options={options.filter(({ group }) => group === undefined)} />
      {groups.map((group) => (
        <optgroup key={group} label={group}>
          <MenuItems options={options.filter((option) => option.group === group)} />
        </optgroup>
      ))}
    </select>
  );
}

function MenuItems({ options }: { options: readonly Option<string>[] }) {
  return options.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** The options are radio buttons, so that arrow keys move between them. */
function Buttons<Value extends string>({ label, options, value, onChange, className }: Props<Value>) {
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
