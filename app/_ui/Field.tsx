"use client";
import { useId, type ReactNode } from "react";
import { classes } from "./classes.ts";

/** Props that link a control to its label, hint and error for screen readers. */
export type FieldWiring = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean | undefined };

type Props = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
  children: (wiring: FieldWiring) => ReactNode;
};

/** A labelled control: `<Field label="Seeds" error={…}>{(wiring) => <Input {...wiring} />}</Field>`. */
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
