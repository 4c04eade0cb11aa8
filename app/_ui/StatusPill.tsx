import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./Icon.tsx";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

/** Opaque colours: on the tint of a selected row, a translucent pill has a contrast ratio below 4.5. */
const tones: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-[color-mix(in_srgb,var(--accent)_12%,var(--surface))] text-accent",
  good: "bg-[color-mix(in_srgb,var(--good)_12%,var(--surface))] text-good",
  warn: "bg-[color-mix(in_srgb,var(--warn)_15%,var(--surface))] text-warn",
  bad: "bg-[color-mix(in_srgb,var(--bad)_12%,var(--surface))] text-bad",
};

export const textTones: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
};

/** Badge that shows a state as text with an icon, so that colour is never the only indicator. */
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
