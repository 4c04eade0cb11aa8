import type { ChannelBank } from "../signals/channelBank.ts";
import { channelNames } from "../signals/channels.ts";
import type { Evidence } from "../event.ts";
import type { Signs } from "./severity.ts";

type Input = Signs & { step: number; iterations: readonly number[]; channels: ChannelBank };

/** What a step's signs rest on, for the record. Channels that are calm are left out. */
export function gatherEvidence({ iterations, channels, groups, trackers, nonFinite, stall, guards }: Input): Evidence {
  const evidence: Evidence = {
    from: iterations[0] ?? 0,
    to: iterations.at(-1) ?? 0,
    groups: { ...groups.levels },
    channels: {},
    performance: {},
    remarks: [
      ...(nonFinite.severity > 0 ? ["loss or gradient is not finite"] : []),
      ...(groups.levels.hacking === undefined ? [] : ["success falls while the reward does not"]),
      ...(stall === undefined ? [] : [stall]),
      ...guards,
    ],
  };
  for (const name of channelNames) {
    const { last } = channels[name];
    if (last === null || last.level === 0) continue;
    const { step: _, ...reading } = last;
    evidence.channels[name] = reading;
  }
  for (const tracker of Object.values(trackers)) {
    const { now, peak, relative, z, level } = tracker.reading;
    evidence.performance[tracker.key] = { now, peak, relative, z };
    if (level > 0) evidence.groups.performance = level === 2 || evidence.groups.performance === 2 ? 2 : 1;
  }
  return evidence;
}
