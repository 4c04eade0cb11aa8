import type { Tone } from "#app/_ui/StatusPill.tsx";

export const textTones: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
};
