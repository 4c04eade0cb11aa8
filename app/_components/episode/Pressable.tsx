import type { ReactNode } from "react";
import { classes } from "#app/_ui/classes.ts";

type Props = { children: ReactNode; isNext?: boolean; isChosen?: boolean; className?: string };

/** A part of a drawing that actions can name. A chosen option has a check; the target of the next action is marked `next`. */
export function Pressable({ children, isNext = false, isChosen = false, className }: Props) {
  return (
    <span
      className={classes(
        "inline-flex max-w-full items-center gap-1 rounded-md border px-2 py-0.5 text-sm",
        isNext ? "border-accent" : isChosen ? "border-text" : "border-edge/60",
        isChosen ? "bg-sunken font-semibold" : "bg-surface",
        className,
      )}
    >
      {isChosen && (
        <span>
          <span aria-hidden="true">✓</span>
          <span className="sr-only">chosen:</span>
        </span>
      )}
      <span className="min-w-0 break-words">{children}</span>
      {isNext && <NextMark />}
    </span>
  );
}

/** Marks the target of the next action. */
export function NextMark() {
  return <span className="rounded-full bg-accent px-1.5 text-xs font-medium text-on-accent">next</span>;
}
