import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./Icon.tsx";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

const tones: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent/12 text-accent",
  good: "bg-good/12 text-good",
  warn: "bg-warn/15 text-warn",
  bad: "bg-bad/12 text-bad",
};

/** A state in words with an icon, so that colour is never the only sign. */
export function StatusPill({ tone, icon, children }: { tone: Tone; icon: IconName; children: ReactNode }) {
  return (
    <span
      className={classes(
        "inline-flex items-center gap-1 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap",
        tones[tone],
      )}
    >
      <Icon name={icon} className="size-3" />
      {children}
    </span>
  );
}
