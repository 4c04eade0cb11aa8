import { minSeverities, type Channel, type NoticeKind } from "./alertsFile.ts";

/** Stored alert, sent once to each channel that subscribes to it. */
export type Notice = {
  id: number;
  kind: NoticeKind | "test";
  /** Severity given by the detector; other alerts have `info`, `warning`, or `recovered` when a condition ends. */
  severity: "warning" | "unstable" | "collapsed" | "recovered" | "info";
  sweepId: string | null;
  /** Tags of the sweep that the alert is about. */
  tags: readonly string[];
  title: string;
  text: string;
  /** Path of the studio's page with details. */
  path: string;
  at: Date;
};

export function wants(channel: Channel, notice: Omit<Notice, "id">): boolean {
  if (notice.kind === "test") return true;
  if (!channel.tells.includes(notice.kind)) return false;
  return (notice.kind !== "stability" || isSevere(channel, notice)) && isOfSweeps(channel, notice);
}

function isSevere({ severity }: Channel, notice: Pick<Notice, "severity">): boolean {
  // The detector reports a recovery only from a collapse (`findNewEvents`).
  const known = notice.severity === "recovered" ? "collapsed" : notice.severity;
  return minSeverities.findIndex((one) => one === known) >= minSeverities.indexOf(severity);
}

function isOfSweeps({ sweeps, tags }: Channel, notice: Pick<Notice, "sweepId" | "tags">): boolean {
  if (notice.sweepId === null || (sweeps.length === 0 && tags.length === 0)) return true;
  return sweeps.includes(notice.sweepId) || tags.some((tag) => notice.tags.includes(tag));
}
