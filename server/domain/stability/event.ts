import type { Level } from "./signals/channel.ts";
import type { ChannelGroup, ChannelName } from "./signals/channels.ts";
import type { SuccessKey } from "./signals/point.ts";

/** What a remark is about. */
export const eventKinds = [
  "drift",
  "performance",
  "nonFinite",
  "hacking",
  "guard",
  "stalled",
  "saturated",
  "metricBroken",
  "spike",
  "recovery",
] as const;
export type EventKind = (typeof eventKinds)[number];

export const severities = ["info", "warning", "unstable", "collapsed", "recovered"] as const;
export type Severity = (typeof severities)[number];

export type SignGroup = ChannelGroup | "hacking" | "performance";

/** What an event rests on: all of it read within the window of iterations. */
export type Evidence = {
  from: number;
  to: number;
  groups: Partial<Record<SignGroup, Level>>;
  /** On each channel's own scale: the value, the forecast of it, the difference in scales, and the shift. */
  channels: Partial<
    Record<ChannelName, { level: Level; value: number; forecast?: number; z?: number; shift?: number }>
  >;
  performance: Partial<Record<SuccessKey, { now: number; peak: number | null; relative: number; z: number }>>;
  /** What else was seen, in words. */
  remarks: readonly string[];
};

/** A machine's remark about a run. */
export type CollapseEvent = {
  iteration: number;
  kind: EventKind;
  severity: Severity;
  detectorVersion: string;
  /** In a sentence. */
  message: string;
  evidence: Evidence;
};
