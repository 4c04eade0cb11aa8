import { trainingSuccess } from "#trainer/spec/metric.ts";
import { effectiveEpisodes, keep } from "./signals/robust.ts";
import {
  type ChannelBank,
  type ChannelRules,
  coldChannels,
  makeChannelRules,
  nextChannels,
} from "./signals/channelBank.ts";
import { type DetectorConfig, shippedConfig, versionOf, warmupOf } from "./config.ts";
import type { CollapseEvent, SignGroup } from "./event.ts";
import type { Level } from "./signals/channel.ts";
import { gatherEvidence, gatherLevels } from "./verdict/evidence.ts";
import { type GroupMemory, nextGroups } from "./signals/groups.ts";
import { brokenGuards } from "./signals/guards.ts";
import { type HackingState, nextHacking, noHacking } from "./signals/hacking.ts";
import { findNewEvents, type News, toEvents } from "./verdict/newEvents.ts";
import { allFinite, nextNonFinite, type NonFiniteState } from "./signals/nonFinite.ts";
import {
  firstOf,
  isBeforeTraining,
  isChangedAt,
  isRate,
  isRelevant,
  lossKeys,
  type Point,
  valueOf,
} from "./signals/point.ts";
import { describeStatus, gatherRemarks } from "./verdict/remarks.ts";
import { nextStatus, type Status, type StatusState, warmingUp } from "./verdict/status.ts";
import { causeOf, hasFallen, severityOf } from "./verdict/severity.ts";
import { type EffectiveEpisodes, nextTrackers, type Trackers } from "./signals/trackers.ts";

/** State of the detector for one run, as plain JSON. It is stored, so that the detector can continue from it. */
export type DetectorState = {
  /** Index of the run's last point (−1 before the first); iterations of the most recent points, oldest first. */
  step: number;
  iterations: readonly number[];
  channels: ChannelBank;
  /** Running mean of the training success rate; null before its first value. */
  success: number | null;
  trackers: Trackers;
  hacking: HackingState;
  nonFinite: NonFiniteState;
  /** Number of consecutive steps without a learning signal. */
  idleSteps: number;
  groups: GroupMemory;
  status: StatusState;
  news: News;
  /** Displayed stability index; null before the first point. */
  index: number | null;
  /** Step of the last external change, after which the warm-up starts again; absent if there was none. */
  changedAt?: number;
};

export type StepReading = {
  iteration: number;
  status: Status;
  levels: Partial<Record<SignGroup, Level>>;
  /** Stability index from 0 to 100 (calm), for display only; no alarm depends on it. */
  index: number;
};

/** Pure, resumable detector: points passed at once or one by one give equal states and events. */
export type Detector = {
  version: string;
  start(): DetectorState;
  /** Advances by one point; no reading without a metric that the rules read. Iterations must ascend. */
  next(state: DetectorState, point: Point): { state: DetectorState; reading?: StepReading; events: CollapseEvent[] };
};

/** Numbers of episodes behind each success rate of a run, which determine its precision. */
export type SamplingSize = { numEpisodes: number; groupSize: number; numHeldOut: number; iterations?: number };

/** Converts to effective numbers: a group's episodes share a task and are correlated, held-out ones are independent. */
export function toEffective(
  { numEpisodes, groupSize, numHeldOut, iterations }: SamplingSize,
  config = shippedConfig,
): EffectiveEpisodes {
  const training = effectiveEpisodes(numEpisodes, groupSize, config.intraGroupCorrelation);
  return { training, heldOut: numHeldOut, ...(iterations !== undefined && { iterations }) };
}

/** Makes the detector for one sampling size; `watch` receives the measurements of each step. */
export function makeDetector(
  effective: EffectiveEpisodes,
  config: DetectorConfig = shippedConfig,
  watch?: (measured: Measured) => void,
): Detector {
  const version = versionOf(config);
  const warmup = warmupOf(config, effective.iterations);
  const channels = makeChannelRules(config, { numEffective: effective.training, warmup: warmup.channel });
  const rules = { effective, config, version, channels, warmup: warmup.run, watch };
  return {
    version,
    start: () => start,
    next: (state, point) => (isRelevant(point) ? takeStep(state, point, rules) : { state, events: [] }),
  };
}

const start: DetectorState = {
  step: -1,
  iterations: [],
  channels: coldChannels,
  success: null,
  trackers: {},
  hacking: noHacking,
  nonFinite: allFinite,
  idleSteps: 0,
  groups: {},
  status: warmingUp,
  news: {},
  index: null,
};

type Rules = {
  effective: EffectiveEpisodes;
  config: DetectorConfig;
  version: string;
  channels: ChannelRules;
  /** Logged iterations before the detector reports a status other than `warmup`. */
  warmup: number;
  watch: ((measured: Measured) => void) | undefined;
};

/** Measurements of a step before its status; identical for configurations that differ only in muted channels. */
export type Measured = Pick<DetectorState, "step" | "channels" | "trackers"> & {
  hacking: ReturnType<typeof nextHacking>;
  nonFinite: ReturnType<typeof nextNonFinite>;
  stall: ReturnType<typeof nextStall>;
  guards: readonly string[];
};

function takeStep(earlier: DetectorState, point: Point, whole: Rules) {
  const { effective, config, version, channels: rules, watch } = whole;
  const { values } = point;
  const step = earlier.step + 1;
  const before = isChangedAt(point) ? startAnew(earlier, step) : earlier;
  const warmup = whole.warmup + (before.changedAt ?? 0);
  const iterations = keep(before.iterations, point.iteration, config.coOccurrence);
  const success = nextSuccess(before.success, values);
  const channels = nextChannels(before.channels, { step, point, success }, rules);
  const gradientNorm = values["update/gradientNorm"];
  const loss = valueOf(values, lossKeys);
  const trackers = nextTrackers(
    before.trackers,
    { step, values, effective, isBeforeTraining: step === 0 && isBeforeTraining(point) },
    config,
  );
  const nonFinite = nextNonFinite(before.nonFinite, { gradientNorm, loss }, config);
  const isAtBest = trackers.training?.reading.isAtBest === true;
  const zeroVariance = values["group/zeroVarianceFraction"];
  const stall = nextStall(before.idleSteps, { zeroVariance, gradientNorm, success, isAtBest }, config);
  const hacking = nextHackingOf(before.hacking, values, { effective, config });
  const guards = brokenGuards(values, config);
  const measured = { step, channels, trackers, hacking, nonFinite, stall, guards };
  watch?.(measured);
  const { groups, signs, status } = judge(before, measured, { config, warmup });
  const levels = gatherLevels(signs);
  // Evidence is computed lazily, because most steps create no event.
  const gather = () => gatherEvidence({ step, iterations, channels, ...signs });
  const news = findNewEvents(before.news, {
    step,
    before: before.status.status,
    after: status.status,
    cause: () => causeOf(signs, status.status, config),
    say: () => describeStatus(status.status, gather()),
    remarks: gatherRemarks(signs, { step, channels }, config),
    merge: config.merge,
  });
  const index = nextIndex(before.index, levels);
  const state: DetectorState = {
    step,
    iterations,
    channels,
    success,
    trackers,
    hacking: hacking.state,
    nonFinite: nonFinite.state,
    idleSteps: stall.steps,
    groups: groups.memory,
    status,
    news: news.news,
    index,
    ...(before.changedAt !== undefined && { changedAt: before.changedAt }),
  };
  const reading = { iteration: point.iteration, status: status.status, levels, index };
  return { state, reading, events: news.events.length === 0 ? [] : toEvents(news.events, gather(), version) };
}

/** Resets the state after an external change: earlier measurements no longer count, but earlier events remain. */
function startAnew({ step, iterations, news, index }: DetectorState, changedAt: number): DetectorState {
  return { ...start, step, iterations, news, index, changedAt };
}

function judge(
  before: Pick<DetectorState, "groups" | "status">,
  measured: Measured,
  { config, warmup }: Pick<Rules, "config" | "warmup">,
) {
  const { step, channels, trackers, hacking, nonFinite, stall, guards } = measured;
  const groups = nextGroups(before.groups, { step, bank: channels, hacking: hacking.level }, config);
  // If a run lost its success, all groups fail. That is the loss of success, not a stall.
  const isIdle = stall.tag !== "stalled" || !hasFallen(trackers, config);
  const tag = isIdle ? stall.tag : undefined;
  const signs = { groups: groups.reading, trackers, nonFinite: nonFinite.reading, stall: tag, guards };
  const status = nextStatus(before.status, { step, warmup, seen: severityOf(signs, nonFinite.state, config) }, config);
  return { groups, signs, status };
}

/** Collects the statuses with other muted channels, from another detector's measurements, which `watch` receives. */
export function makeStatuses(
  config: DetectorConfig,
  { iterations }: Pick<EffectiveEpisodes, "iterations">,
): { watch: (measured: Measured) => void; statuses: Status[] } {
  let before: Pick<DetectorState, "groups" | "status"> = start;
  const statuses: Status[] = [];
  const { run: warmup } = warmupOf(config, iterations);
  const watch = (measured: Measured) => {
    const { groups, status } = judge(before, measured, { config, warmup });
    before = { groups: groups.memory, status };
    statuses.push(status.status);
  };
  return { watch, statuses };
}

/** Updates the running mean of success. Rewards are ignored: a reward within [0, 1] need not be a rate. */
function nextSuccess(before: number | null, values: Point["values"]): number | null {
  const found = firstOf(values, trainingSuccess);
  if (!found || !isRate(found.key) || !(found.value >= 0 && found.value <= 1)) return before;
  return before === null ? found.value : before + 0.15 * (found.value - before);
}

function nextHackingOf(
  before: HackingState,
  values: Point["values"],
  { effective, config }: Pick<Rules, "effective" | "config">,
): { state: HackingState; level: 0 | 2 } {
  const success = firstOf(values, trainingSuccess);
  const reward = values["rollout/returnMean"];
  if (!success || !isRate(success.key) || reward === undefined) return { state: before, level: 0 };
  if (!Number.isFinite(success.value) || !Number.isFinite(reward)) return { state: before, level: 0 };
  return nextHacking(before, { success: success.value, reward, numEffective: effective.training }, config);
}

type Input = {
  zeroVariance: number | undefined;
  gradientNorm: number | undefined;
  /** `success`: running mean, null if only a reward is logged. `isAtBest`: the reward is at its peak, after a rise. */
  success: number | null;
  isAtBest: boolean;
};

/**
 * Counts consecutive steps without a learning signal: equal rewards in nearly every group, or a vanished gradient.
 * Saturated if nearly every task is solved or, without a success rate, if the reward is at its best; otherwise stalled.
 */
function nextStall(
  stepsSoFar: number,
  { zeroVariance = 0, gradientNorm = NaN, success, isAtBest }: Input,
  { stall }: DetectorConfig,
): { steps: number; tag: "stalled" | "saturated" | undefined } {
  const isIdle = zeroVariance >= stall.zeroVariance || gradientNorm < stall.gradientNorm;
  const steps = isIdle ? stepsSoFar + 1 : 0;
  const isSolved = success === null ? isAtBest : success >= stall.solved;
  return { steps, tag: steps < stall.steps ? undefined : isSolved ? "saturated" : "stalled" };
}

/** Weight of each group of channels in the displayed stability index. */
const weights: Record<SignGroup, number> = {
  gradient: 0.8,
  ratio: 0.7,
  reference: 0.5,
  entropy: 0.5,
  length: 0.6,
  action: 0.9,
  reward: 0.5,
  hacking: 0.7,
  performance: 1,
};
const weightList = Object.entries(weights) as [SignGroup, number][];
const strength: Record<Level, number> = { 0: 0, 1: 0.25, 2: 0.6, 3: 0.9 };

/** Returns 100 Π(1 − weight × strength) over groups of channels; 100 if all are calm. */
export function indexOf(levels: Partial<Record<SignGroup, Level>>): number {
  let calm = 100;
  for (const [group, weight] of weightList) {
    calm *= 1 - weight * strength[levels[group] ?? 0];
  }
  return calm;
}

/** Smooths the displayed stability index: four fifths of the previous value remain. */
export function nextIndex(before: number | null, levels: Partial<Record<SignGroup, Level>>): number {
  const now = indexOf(levels);
  return before === null ? now : 0.8 * before + 0.2 * now;
}
