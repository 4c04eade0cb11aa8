import { arcsineError } from "./arcsine.ts";
import { coldChannel, nextChannel, type ChannelReading, type ChannelState } from "./channel.ts";
import { channels, type ChannelName } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";
import { firstOf, rewarmedBy, type Point } from "./point.ts";

/** A channel's forecaster with its last reading and that step. */
export type ChannelMemory = { state: ChannelState; last: (ChannelReading & { step: number }) | null };
export type ChannelBank = Record<ChannelName, ChannelMemory>;

export const coldChannels: ChannelBank = mapChannels(() => ({ state: coldChannel, last: null }));

type Input = {
  step: number;
  point: Point;
  /** Running mean of the success rate; null if none was logged. */
  success: number | null;
  /** Independent episodes behind a rate of training. */
  numEffective: number;
};

/** Gives each channel its value of this point; those without one stay as they are. */
export function nextChannels(bank: ChannelBank, input: Input, config: DetectorConfig): ChannelBank {
  const rewarmed = (input.point.annotations ?? []).flatMap((annotation) => rewarmedBy[annotation]);
  return mapChannels((name) => {
    const memory = rewarmed.includes(name) ? { state: coldChannel, last: null } : bank[name];
    const raw = rawValue(name, input, config);
    return raw === undefined ? memory : nextMemory(name, { memory, raw, input, config });
  });
}

type Update = { memory: ChannelMemory; raw: number; input: Input; config: DetectorConfig };

function nextMemory(name: ChannelName, { memory, raw, input, config }: Update): ChannelMemory {
  const { transform, floor, rise, fall, mayBeInfinite } = channels[name];
  if (raw === Infinity && mayBeInfinite) {
    const value = transform(Number.MAX_VALUE);
    return { state: memory.state, last: { level: 3, value, step: input.step } };
  }
  if (!Number.isFinite(raw)) return memory;
  const factor = config.minimum[name] ?? 1;
  const rule = {
    config,
    floor: floor === "rate" ? arcsineError(input.numEffective) : floor,
    ...(rise !== undefined && { rise: factor * rise }),
    ...(fall !== undefined && { fall: factor * fall }),
  };
  const { state, reading } = nextChannel(memory.state, transform(raw), rule);
  return { state, last: { ...reading, step: input.step } };
}

/** The quantity a channel follows, from what is logged. */
function rawValue(name: ChannelName, { point, success }: Input, { minSpread }: DetectorConfig): number | undefined {
  const logged = firstOf(point.values, channels[name].metrics)?.value;
  if (logged === undefined) return undefined;
  if (name === "invalidActions") return 1 - logged;
  if (name !== "returnSpread") return logged;
  // Equal rewards are no wonder where everything is solved or nothing is: the spread counts against that of a coin.
  if (success === null || success * (1 - success) < minSpread) return undefined;
  return logged / Math.sqrt(success * (1 - success) + 0.02);
}

/** Written out, so that every bank has one shape: a third faster than from entries. */
function mapChannels(make: (name: ChannelName) => ChannelMemory): ChannelBank {
  return {
    gradientNorm: make("gradientNorm"),
    klReference: make("klReference"),
    klOld: make("klOld"),
    ratioMax: make("ratioMax"),
    ratioMean: make("ratioMean"),
    entropy: make("entropy"),
    responseTokens: make("responseTokens"),
    invalidActions: make("invalidActions"),
    returnSpread: make("returnSpread"),
  };
}
