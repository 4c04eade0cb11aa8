import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./Icon.tsx";

type Tone = "info" | "warn" | "bad";
const looks: Record<Tone, { icon: IconName; box: string; sign: string }> = {
  info: { icon: "info", box: "border-line bg-sunken", sign: "text-muted" },
  warn: { icon: "warning", box: "border-warn/40 bg-warn/10", sign: "text-warn" },
  bad: { icon: "warning", box: "border-bad/40 bg-bad/10", sign: "text-bad" },
};

/** A notice within a page; `bad` is announced at once. */
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
