"use client";

import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon } from "./Icon.tsx";
import { classes } from "./classes.ts";
import { Input } from "./Input.tsx";

/** Attributes of a form control that link it to its label, hint and error for screen readers. */
export type FieldWiring = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean | undefined };

type Props = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
  children: (wiring: FieldWiring) => ReactNode;
};

type TextProps = Omit<Props, "children"> & Omit<ComponentProps<"input">, "className">;

export function TextField({ label, hint, error, className, ...input }: TextProps) {
  return (
    <Field {...{ label, hint, error }} {...(className !== undefined && { className })}>
      {(wiring) => <Input {...wiring} {...input} />}
    </Field>
  );
}

/** A label, hint and error around a control: `<Field label="Seeds">{(wiring) => <Input {...wiring} />}</Field>`. */
export function Field({ label, hint, error, className, children }: Props) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={classes("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

/** A small "i" that opens an explanation on click or Enter, which works with touch, unlike a hover tooltip. */
export function Hint({ about, children }: { about: string; children: ReactNode }) {
  const id = useId();
  return (
    <span className="relative inline-flex align-middle">
      <button
        type="button"
        popoverTarget={id}
        aria-label={`About ${about}`}
        className="rounded-full p-0.5 text-muted hover:text-text"
      >
        <Icon name="info" className="size-3.5" />
      </button>
      <span
        id={id}
        popover="auto"
        className="m-auto max-w-80 rounded-md border border-line bg-surface p-3 text-sm font-normal text-text shadow-lg [position-area:bottom] [position-try:flip-block]"
      >
        {children}
      </span>
    </span>
  );
}
