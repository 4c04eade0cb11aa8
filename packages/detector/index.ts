export { DetectorConfig, detectorVersion, shippedConfig, warmupOf } from "./config.ts";
export { makeDetector, makeStatuses, type SamplingSize, type StepReading, toEffective } from "./detector.ts";
export {
  type BlindGroup,
  type BlindRow,
  type BlindRun,
  type FreezeStanding,
  type Half,
  halves,
  isInHalf,
  reportBlind,
  standingOf,
} from "./evaluation/blind.ts";
export { findEpisodes, judgement, judgementOf, judgeRun } from "./evaluation/judge.ts";
export { allRules, causesOnly, causesOnlySentence } from "./evaluation/rules.ts";
export { summarise } from "./evaluation/summarise.ts";
export { type CollapseEvent, eventKinds, type Evidence, severities, type Severity } from "./event.ts";
export {
  type Alarm,
  alarmOf,
  type AlarmWord,
  alarmWords,
  describeFacts,
  describeFall,
  type HindsightWord,
  byReward,
  judgedBy,
  nameAlarm,
  nameOutcome,
  readOutcome,
  type Outcome,
  type StabilityFacts,
  toAlarm,
  toOutcome,
  type CollapseCount,
  kindsOf,
  wordOfKind,
  countLabels,
  unclearSentence,
  writeCollapses,
} from "./facts.ts";
export { collapseSentence, findCollapse } from "./label/collapse.ts";
export { Hindsight, labelRun, lookBack, lookingBack, numberSteps } from "./label/hindsight.ts";
export { isClear, isCollapse, isJudged, type RunLabel } from "./label/label.ts";
export { labelPoints } from "./label/labelPoints.ts";
export {
  type Advance,
  advancing,
  parseMemory,
  type Standing,
  startStanding,
  type StatusChange,
  StatusChanges,
  statusesOf,
  toStoredMemory,
  withRates,
} from "./online.ts";
export { replay, statusChanges } from "./replay.ts";
export { channelNames, channels } from "./signals/channels.ts";
export { guardMetrics } from "./signals/guards.ts";
export { findMissing, hasLoggedAll, type Missing } from "./signals/missing.ts";
export { firstOf, isRead, isRelevant, type Point, relevantKeys, withChanges } from "./signals/point.ts";
export { noiseOf, toArcsine } from "./signals/robust.ts";
export { describeUntaught, knowsNothing } from "./verdict/remarks.ts";
export { rank, type Status, statuses } from "./verdict/status.ts";
export { findRules, frozenRules, type FrozenRules } from "./versions.ts";
