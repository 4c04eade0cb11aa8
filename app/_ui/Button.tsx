import type { ButtonHTMLAttributes } from "react";
import { classes } from "./classes.ts";

type Kind = "primary" | "plain" | "quiet" | "danger";

const looks: Record<Kind, string> = {
  primary: "border-transparent bg-accent text-on-accent hover:bg-accent/90",
  plain: "border-edge/60 bg-surface text-text hover:bg-sunken",
  quiet: "border-transparent text-muted hover:bg-sunken hover:text-text",
  danger: "border-bad/50 bg-surface text-bad hover:bg-bad/10",
};

/** Returns the CSS classes of a link that looks like a button: `<Link className={buttonClasses("primary")}>`. */
export function buttonClasses(kind: Kind = "plain"): string {
  return classes(
    "inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 font-medium whitespace-nowrap",
    "disabled:cursor-not-allowed disabled:border-line disabled:bg-sunken disabled:text-muted",
    looks[kind],
  );
}

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { kind?: Kind };

export function Button({ kind = "plain", className, ...rest }: Props) {
  return <button type="button" className={classes(buttonClasses(kind), className)} {...rest} />;
}
