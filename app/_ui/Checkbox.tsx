import type { InputHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes.ts";

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & { label: ReactNode };

export function Checkbox({ label, className, ...rest }: Props) {
  return (
    <label className={classes("inline-flex items-center gap-2", rest.disabled && "text-muted", className)}>
      <input type="checkbox" className="size-4 shrink-0 accent-accent" {...rest} />
      {label}
    </label>
  );
}
