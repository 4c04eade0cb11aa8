import type { ChannelBank } from "../signals/channelBank.ts";
import { channelNames } from "../signals/channels.ts";
import type { Evidence } from "../event.ts";
import { trackersOf } from "../signals/trackers.ts";
import type { Signs } from "./severity.ts";

type Input = Signs & { step: number; iterations: readonly number[]; channels: ChannelBank };

/** Returns the levels of all groups and of the loss of success, without those at level 0. */
export function gatherLevels({ groups, trackers }: Pick<Signs, "groups" | "trackers">): Evidence["groups"] {
  let worst: 0 | 1 | 2 = 0;
  for (const { reading } of trackersOf(trackers)) if (reading.level > worst) worst = reading.level;
  return worst === 0 ? groups.levels : { ...groups.levels, performance: worst };
}

/** Collects the stored evidence from all channels at this step. Calm channels are left out. */
export function gatherEvidence({ iterations, channels, groups, trackers, nonFinite, stall, guards }: Input): Evidence {
  const evidence: Evidence = {
    from: iterations[0] ?? 0,
    to: iterations.at(-1) ?? 0,
    groups: gatherLevels({ groups, trackers }),
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
  for (const { key, reading } of trackersOf(trackers)) {
    const { now, peak, relative, z } = reading;
    evidence.performance[key] = { now, peak, relative, z };
  }
  return evidence;
}
