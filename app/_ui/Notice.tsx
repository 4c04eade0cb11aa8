import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./Icon.tsx";

type Tone = "info" | "good" | "warn" | "bad";
const looks: Record<Tone, { icon: IconName; box: string; sign: string }> = {
  info: { icon: "info", box: "border-line bg-sunken", sign: "text-muted" },
  good: { icon: "check", box: "border-good/40 bg-good/10", sign: "text-good" },
  warn: { icon: "warning", box: "border-warn/40 bg-warn/10", sign: "text-warn" },
  bad: { icon: "warning", box: "border-bad/40 bg-bad/10", sign: "text-bad" },
};

/** A message within a page; screen readers announce a `bad` one at once. */
export function Notice({ tone = "info", children }: { tone?: Tone; children: ReactNode }) {
  const look = looks[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "note"}
      className={classes("flex gap-2 rounded-md border px-3 py-2", look.box)}
    >
      <Icon name={look.icon} className={classes("mt-0.5 size-4 shrink-0", look.sign)} />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

export function EmptyState({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed border-edge/60 px-6 py-12 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      {children && <div className="w-full max-w-prose text-muted">{children}</div>}
      {actions && <div className="flex flex-wrap items-start justify-center gap-2">{actions}</div>}
    </div>
  );
}
