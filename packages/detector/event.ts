import type { Level } from "./signals/channel.ts";
import type { ChannelGroup, ChannelName } from "./signals/channels.ts";
import type { SuccessKey } from "./signals/point.ts";

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

/** Measurements that led to an event, in the iterations `from` to `to`. */
export type Evidence = {
  from: number;
  to: number;
  groups: Partial<Record<SignGroup, Level>>;
  /** Reading of each channel on the channel's scale: value, forecast, robust z-score and shift. */
  channels: Partial<
    Record<ChannelName, { level: Level; value: number; forecast?: number; z?: number; shift?: number }>
  >;
  performance: Partial<Record<SuccessKey, { now: number; peak: number | null; relative: number; z: number }>>;
  remarks: readonly string[];
};

export type CollapseEvent = {
  iteration: number;
  kind: EventKind;
  severity: Severity;
  detectorVersion: string;
  /** Description of the event in one sentence. */
  message: string;
  evidence: Evidence;
};
