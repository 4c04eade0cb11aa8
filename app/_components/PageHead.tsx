import type { ReactNode } from "react";
import { classes } from "#app/_ui/classes.ts";

type Props = { title: ReactNode; children?: ReactNode; actions?: ReactNode };

export function PageHead({ title, children, actions }: Props) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 sm:flex-1 sm:basis-80">
        <h1 className="text-xl font-semibold break-words">{title}</h1>
        {children && (
          <div className={classes("mt-0.5 text-muted", typeof children === "string" && "max-w-prose")}>{children}</div>
        )}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}
