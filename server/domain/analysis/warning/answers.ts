import { maxLagOf } from "#trainer/spec/sampler.ts";
import {
  type BlindGroup,
  type BlindRun,
  findRules,
  frozenRules,
  isClear,
  judgement,
  reportBlind,
} from "#packages/detector";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { Answering } from "../answer.ts";
import { type Facts, type Parts, titleSettings } from "../facts.ts";
import { describeGroup, summariseBlind, toBlindCsv, toBlindTable } from "./blindTable.ts";
import { type ClimbRun, measureClimbs, reportClimbs, summariseClimbs, toClimbsCsv, toClimbsTable } from "./climbs.ts";
import {
  forecastMetrics,
  measureForecast,
  reportForecast,
  summariseForecast,
  toForecastCsv,
  toForecastTable,
} from "./forecast.ts";
import { signalsOf } from "./signals.ts";

export type AlarmGroup = {
  heading: string;
  numCollapses: number;
  /**
   * `earlyRate`: fraction of detected collapses with an alarm at least ten iterations before; NaN if none was
   * detected.
   */
  rules: readonly { rule: string; numTrue: number; numFalse: number; earlyRate: number }[];
};

/** Frozen rules compared with baselines. Throws `bad_input` for an unknown version. */
export const blind = {
  answer(facts, { rules: version, half }) {
    const { runs: all, configurations, hindsights, sweeps, unclear } = facts;
    const rules = findRules(version);
    const descriptions = new Map(sweeps.map(({ id, description }) => [id, description]));
    const runs = all.flatMap(({ run: { id, sweepId, seed, startedAt }, cell }): BlindRun[] => {
      const [hindsight, spec] = [hindsights.get(id), configurations.get(cell.id)];
      if (!hindsight || !spec || (unclear === "leftOut" && !isClear(hindsight.label))) return [];
      const description = descriptions.get(sweepId) ?? "";
      return [{ runId: id, seed, startedAt: isImported(spec) ? null : startedAt, description, hindsight }];
    });
    const groups = reportBlind(runs, rules, half);
    return {
      rules: version,
      /** All frozen versions of the collapse detector's rules, newest first. */
      versions: frozenRules.map((frozen) => frozen.version).reverse(),
      sentence: summariseBlind(runs, half),
      table: toBlindTable({ rules, half, groups }),
      longCsv: toBlindCsv(runs, rules),
      /** Iterations around a collapse in which an alarm is true. */
      window: { before: judgement.before, after: judgement.after },
      groups: groups.map((group) => toAlarmGroup(group, version)),
      ...provedBy(facts, { rules: version, half }),
    };
  },
} satisfies Answering<"blind">;

/** Early tables left out unclear labels. They are computed again, but get no new proof. */
function provedBy({ unclear }: Facts, options = {}) {
  return unclear === "counted" ? { proved: { ...options, unclear } } : { isFinal: false };
}

function toAlarmGroup(group: BlindGroup, version: string): AlarmGroup {
  return {
    heading: describeGroup(group, version),
    numCollapses: group.numCollapses,
    rules: group.rows.map(({ rule, evaluation: { detected, falseAlarms, lead } }) => {
      return { rule, numTrue: detected, numFalse: falseAlarms, earlyRate: lead.atLeastTen };
    }),
  };
}

/** Up to three collapsed runs that illustrate a table, starting with the run with the clearest early signals. */
export type ClimbExample = { runId: string; sweepId: string; setting: string; seed: number };

export const climbs = {
  curves: (facts, { signals = "update" }) => [
    { runIds: listLabelled(facts), keys: signalsOf[signals].map(({ metric }) => metric) },
  ],
  answer(facts, { signals = "update" }) {
    const compared = signalsOf[signals];
    const runs = listClimbRuns(facts);
    const measured = runs.flatMap((run) => measureClimbs(run, compared) ?? []);
    const report = reportClimbs(measured, compared);
    return {
      sentence: summariseClimbs(report),
      table: toClimbsTable(report),
      longCsv: toClimbsCsv(measured, compared),
      examples: report.all.examples.flatMap((runId): ClimbExample[] => {
        const { sweepId = "", setting = "", seed = 0 } = runs.find((run) => run.runId === runId) ?? {};
        return [{ runId, sweepId, setting, seed }];
      }),
      ...provedBy(facts, signals === "update" ? {} : { signals }),
    };
  },
} satisfies Answering<"climbs">;

const forecastKeys = Object.values(forecastMetrics);
/** How well effective sample size (ESS) predicts a collapse, compared with k1 (estimated KL divergence). */
export const forecast = {
  curves: (facts) => [{ runIds: listLabelled(facts), keys: forecastKeys }],
  answer(facts) {
    const measured = listClimbRuns(facts).flatMap((run) => measureForecast(run) ?? []);
    const settings = reportForecast(measured);
    return {
      sentence: summariseForecast(settings),
      table: toForecastTable(settings),
      longCsv: toForecastCsv(measured),
      ...provedBy(facts),
    };
  },
} satisfies Answering<"forecast">;

const listLabelled = ({ runs }: Facts): string[] =>
  runs.flatMap(({ run, detection }) => (detection?.hindsight ? [run.id] : []));

function listClimbRuns({
  runs,
  configurations,
  curvesOf,
  unclear,
}: Facts & Pick<Parts, "configurations">): (ClimbRun & { sweepId: string; seed: number })[] {
  const titleOf = titleSettings(runs);
  return runs.flatMap((one) => {
    const { id: runId, sweepId, seed } = one.run;
    const [label, spec] = [one.detection?.hindsight?.label, configurations.get(one.cell.id)];
    if (!label || !spec || (unclear === "leftOut" && !isClear(label))) return [];
    return [
      {
        runId,
        sweepId,
        seed,
        setting: titleOf(one),
        label,
        lag: isImported(spec) ? 0 : maxLagOf(spec.rollout),
        curves: curvesOf(runId),
      },
    ];
  });
}
