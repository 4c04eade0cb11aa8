import type { ReactNode } from "react";
import { classes } from "./classes.ts";

type Props = { title?: ReactNode; actions?: ReactNode; children: ReactNode; className?: string; id?: string };

export function Card({ title, actions, children, className, id }: Props) {
  return (
    <section id={id} className={classes("rounded-lg border border-line bg-surface p-4", className)}>
      {(title || actions) && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          {title && <h2 className="font-semibold">{title}</h2>}
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}
