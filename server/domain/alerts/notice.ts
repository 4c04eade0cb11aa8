import { leastSeverities, type Channel, type NoticeKind } from "./alertsFile.ts";

/** Something that happened and may be told, once for each channel that wants it. */
export type Notice = {
  id: number;
  kind: NoticeKind | "test";
  /** Of the detector; or how bad the rest is: `warning`, and `recovered` when it is over. */
  severity: "warning" | "unstable" | "collapsed" | "recovered" | "info";
  sweepId: string | null;
  /** Tags of that sweep. */
  tags: readonly string[];
  title: string;
  text: string;
  /** Of the page that shows more. */
  path: string;
  at: Date;
};

/** Whether a channel is told of a notice. */
export function wants(channel: Channel, notice: Omit<Notice, "id">): boolean {
  if (notice.kind === "test") return true;
  if (!channel.tells.includes(notice.kind)) return false;
  return (notice.kind !== "stability" || isSevere(channel, notice)) && isOfSweeps(channel, notice);
}

function isSevere({ severity }: Channel, notice: Pick<Notice, "severity">): boolean {
  // What recovered was unstable at least.
  const known = notice.severity === "recovered" ? "unstable" : notice.severity;
  return leastSeverities.findIndex((one) => one === known) >= leastSeverities.indexOf(severity);
}

function isOfSweeps({ sweeps, tags }: Channel, notice: Pick<Notice, "sweepId" | "tags">): boolean {
  if (notice.sweepId === null || (sweeps.length === 0 && tags.length === 0)) return true;
  return sweeps.includes(notice.sweepId) || tags.some((tag) => notice.tags.includes(tag));
}
