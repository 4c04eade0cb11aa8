import type { ComponentProps, InputHTMLAttributes, ReactNode } from "react";
import { classes } from "./classes.ts";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={classes("control w-full min-w-0", className)} autoComplete="off" {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={classes("control h-auto w-full py-1.5", className)} {...rest} />;
}

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit: () => void };

/** A form that stays on its page when it is submitted. */
export function Form({ onSubmit, ...rest }: FormProps) {
  const send: ComponentProps<"form">["onSubmit"] = (event) => {
    event.preventDefault();
    onSubmit();
  };
  return <form {...rest} onSubmit={send} />;
}

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & { label: ReactNode };

export function Checkbox({ label, className, ...rest }: Props) {
  return (
    <label className={classes("inline-flex items-center gap-2", rest.disabled && "text-muted", className)}>
      <input type="checkbox" className="size-4 shrink-0 accent-accent" {...rest} />
      {label}
    </label>
  );
}
