import { reasonWords, statusWords, titleOf, type RunReason, type RunStatus } from "#server/domain/runs/runStatus.ts";
import type { IconName } from "../_ui/Icon.tsx";
import type { Tone } from "../_ui/StatusPill.tsx";

/** Look of a run state; colour is never the only indicator. Finished runs are neutral: they may have collapsed. */
export const runLooks: Record<RunStatus, { icon: IconName; tone: Tone }> = {
  pending: { icon: "clock", tone: "neutral" },
  starting: { icon: "play", tone: "accent" },
  running: { icon: "play", tone: "accent" },
  unknown: { icon: "question", tone: "warn" },
  finished: { icon: "check", tone: "neutral" },
  failed: { icon: "warning", tone: "bad" },
  cancelled: { icon: "stop", tone: "neutral" },
};

/** Formats a run's state, with the reason if it adds information: "Failed: Diverged". */
export function nameState(status: RunStatus, reason: RunReason | null): string {
  const title = titleOf(status, reason);
  if (reason === null || reason === "completed" || reason === "cancelled_by_user") return title;
  return `${title}: ${reasonWords[reason].title}`;
}

export function explainState(status: RunStatus, reason: RunReason | null, text: string | null): string {
  const sentence = reason === null ? statusWords[status].sentence : reasonWords[reason].sentence;
  return text ? `${sentence} (${text})` : sentence;
}
