import { arcsineError } from "./robust.ts";
import { coldChannel, nextChannel, type ChannelReading, type ChannelRule, type ChannelState } from "./channel.ts";
import { channels, type ChannelName } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";
import { rewarmedBy, valueOf, type Point } from "./point.ts";

export type ChannelMemory = { state: ChannelState; last: (ChannelReading & { step: number }) | null };
export type ChannelBank = Record<ChannelName, ChannelMemory>;

export const coldChannels: ChannelBank = mapChannels(() => ({ state: coldChannel, last: null }));

type Input = {
  step: number;
  point: Point;
  /** Running mean of success; null if none was logged. */
  success: number | null;
};

export type ChannelRules = Readonly<Record<ChannelName, ChannelRule>>;

/** `numEffective`: independent episodes behind a success rate. `warmup`: values before a channel is tested. */
type Circumstances = { numEffective: number; warmup: number };

export function makeChannelRules(config: DetectorConfig, { numEffective, warmup }: Circumstances): ChannelRules {
  const numValues = Math.max(...config.horizons.map(([, width]) => width));
  const numLevels = Math.max(...config.horizons.map(([horizon]) => horizon)) + 1;
  const { damping } = config.forecast;
  const horizons = config.horizons.map(([horizon, width]) => ({ horizon, width, decayed: 1 - damping ** horizon }));
  return mapChannels((name) => {
    const { floor, rise, fall } = channels[name];
    const factor = config.minimum[name] ?? 1;
    return {
      config,
      warmup,
      horizons,
      isGrowing: config.growing?.includes(name) ?? false,
      floor: floor === "rate" ? arcsineError(numEffective) : floor,
      numValues,
      numLevels,
      ...(rise !== undefined && { rise: factor * rise }),
      ...(fall !== undefined && { fall: factor * fall }),
    };
  });
}

/** Advances each channel with a value in this point, after restarting those that its annotations affect. */
export function nextChannels(bank: ChannelBank, input: Input, rules: ChannelRules): ChannelBank {
  const { annotations } = input.point;
  if (annotations === undefined)
    return mapChannels((name) => nextMemory(name, bank[name], { input, rule: rules[name] }));
  const rewarmed = new Set(annotations.flatMap((annotation) => rewarmedBy[annotation]));
  return mapChannels((name) => nextMemory(name, rewarmed.has(name) ? cold : bank[name], { input, rule: rules[name] }));
}

const cold: ChannelMemory = { state: coldChannel, last: null };

type Update = { input: Input; rule: ChannelRule };

function nextMemory(name: ChannelName, memory: ChannelMemory, { input, rule }: Update): ChannelMemory {
  const { metrics, transform, mayBeInfinite } = channels[name];
  const logged = valueOf(input.point.values, metrics);
  if (logged === undefined) return memory;
  const raw = rawValue(name, logged, { success: input.success, minSpread: rule.config.minSpread });
  if (raw === undefined) return memory;
  const { step } = input;
  if (raw === Infinity && mayBeInfinite) {
    const value = transform(Number.MAX_VALUE);
    return { state: memory.state, last: { level: 3, value, step } };
  }
  if (!Number.isFinite(raw)) return memory;
  const { state, reading } = nextChannel(memory.state, transform(raw), rule);
  const { level, value, forecast, z, shift } = reading;
  if (forecast === undefined || z === undefined) return { state, last: { level, value, step } };
  const last = shift === undefined ? { level, value, forecast, z, step } : { level, value, forecast, z, shift, step };
  return { state, last };
}

/** Returns the value of a channel from the logged metric; undefined if the value must be ignored. */
function rawValue(
  name: ChannelName,
  logged: number,
  { success, minSpread }: { success: number | null; minSpread: number },
): number | undefined {
  if (name === "invalidActions") return 1 - logged;
  if (name !== "returnSpread") return logged;
  // Equal rewards are expected if all or no tasks are solved, so the spread is divided by a Bernoulli variable's std.
  if (success === null || success * (1 - success) < minSpread) return undefined;
  return logged / Math.sqrt(success * (1 - success) + 0.02);
}

/** Maps every channel. An object literal gives all results one hidden class: a third faster than by entries. */
function mapChannels<T>(make: (name: ChannelName) => T): Record<ChannelName, T> {
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
