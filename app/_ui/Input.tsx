import type { ComponentProps } from "react";
import { classes } from "./classes.ts";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={classes("control w-full min-w-0", className)} autoComplete="off" {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={classes("control h-auto w-full py-1.5", className)} {...rest} />;
}
