import { groupBy } from "#packages/base";
import type { Level } from "./channel.ts";
import type { ChannelBank } from "./channelBank.ts";
import { channelGroups, channelNames, channels, type ChannelGroup } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";

/** A group that indicates instability on its own. Loss of success is handled separately. */
export type CauseGroup = ChannelGroup | "hacking";
const causeGroups: readonly CauseGroup[] = [...channelGroups, "hacking"];
const members = groupBy(channelNames, (name) => channels[name].group);

/** Memory as plain JSON: last step at level 2 or higher, and consecutive steps at level 3. */
export type GroupMemory = Partial<Record<CauseGroup, { highAt: number; severeSteps: number }>>;

export type GroupReading = { levels: Partial<Record<CauseGroup, Level>>; numHigh: number; isPersistent: boolean };

type Input = { step: number; bank: ChannelBank; hacking: 0 | 2 };

/** Advances by one step, and counts the groups that were high within the last `coOccurrence` steps. */
export function nextGroups(
  memory: GroupMemory,
  input: Input,
  config: DetectorConfig,
): { memory: GroupMemory; reading: GroupReading } {
  const levels: Partial<Record<CauseGroup, Level>> = {};
  const next: GroupMemory = {};
  let numHigh = 0;
  let isPersistent = false;
  for (const group of causeGroups) {
    const level = levelOf(group, input, config);
    const before = memory[group];
    const severeSteps = level === 3 ? (before?.severeSteps ?? 0) + 1 : 0;
    const highAt = level >= 2 ? input.step : before?.highAt;
    if (level > 0) levels[group] = level;
    if (highAt === undefined || input.step - highAt >= config.coOccurrence) continue;
    next[group] = { highAt, severeSteps };
    numHigh += 1;
    isPersistent ||= severeSteps >= config.persistence;
  }
  return { memory: next, reading: { levels, numHigh, isPersistent } };
}

/** Returns a group's highest recent level, because some metrics are not logged at every step. */
function levelOf(group: CauseGroup, { step, bank, hacking }: Input, { muted, coOccurrence }: DetectorConfig): Level {
  if (group === "hacking") return muted.includes("hacking") ? 0 : hacking;
  let highest: Level = 0;
  for (const name of members.get(group) ?? []) {
    const { last } = bank[name];
    if (last === null || last.level <= highest || step - last.step >= coOccurrence || muted.includes(name)) continue;
    highest = last.level;
  }
  return highest;
}
