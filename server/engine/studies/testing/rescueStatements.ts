import { groupBy } from "#packages/base";
import { holm, mean, pairedTTest } from "#packages/statistics";
import type { RescueAnswer } from "#server/domain/analysis/rescue/answer.ts";
import type { ArmReport } from "#server/domain/analysis/rescue/rescue.ts";
import { nothing } from "#server/domain/analysis/rescue/rescueArms.ts";

type Run = RescueAnswer["runs"][number];

/** Names of the arms in docs/rescue.md. */
const names: Readonly<Record<string, string>> = {
  nothing: "nothing",
  "sequence mask": "sequence mask",
  "GSPO's ratio": "GSPO's ratio",
  "Learning rate ÷ 5": "learning rate ÷ 5",
  "KL coefficient × 5 (0.05 if it was 0)": "KL to 0.05",
  "clip ÷ 2": "half the clip",
  "dynamic sampling": "dynamic sampling",
  "Minibatch (rows) × 4": "mini-batch × 4",
};
const [mask, gspo, rate, kl] = Object.keys(names).slice(1);

const write = (x: number) => `${Math.round(100 * x)}`.replace("-", "−").replace("−0", "0");
const sign = (text: string) => (text.startsWith("−") || text === "0" ? text : `+${text}`);
const writeP = (p: number, digits = 3) => (p < 0.001 ? "< 0.001" : p.toFixed(digits));
type Effect = { difference: number; interval: { low: number; high: number } };
const writeEffect = ({ difference, interval: { low, high } }: Effect, isSigned = true) =>
  `${isSigned ? sign(write(difference)) : write(difference)} [${write(low)}, ${write(high)}]`;

/** Statements of docs/rescue.md, with the numbers of the recorded branches. */
export function listStatements(report: RescueAnswer): string[] {
  const { runs, overall, leads, cost } = report;
  const own = runs.filter(({ arm, continuation }) => arm === nothing && continuation > 0);
  const count = (all: readonly Run[], word: string) => all.filter(({ hindsight }) => hindsight === word).length;
  const recorded = runs.filter(({ arm, continuation }) => arm === nothing && continuation === 0);
  const armAt = (lead: number, name = "") =>
    leads.find((one) => one.lead === lead)?.arms.find(({ arm }) => arm === name);
  const [atAlarm, lateRate] = [armAt(0, mask), armAt(0, rate)];
  return [
    ...overall.map((one) =>
      writeRow(
        one,
        [20, 10, 0].flatMap((lead) => armAt(lead, one.arm) ?? []),
      ),
    ),
    `${runs.length.toLocaleString("en-US")} branches`,
    `collapsed ${count(recorded, "collapsed")} of ${recorded.length} times`,
    `Of the other unchanged branches, ${count(own, "collapsed")} collapsed at any time, ${count(own, "unclear")} are unclear and ${count(own, "healthy") + count(own, "dip")} did neither.`,
    `At the first alarm it is not shown: ${lateRate && writeEffect(lateRate.successDifference)}, p ${writeP(lateRate?.pHolm ?? NaN)}`,
    ...listSpread(runs),
    ...listOldCounts(runs),
    ...(cost
      ? [
          `the branches trained ${cost.branches.numIterations.toLocaleString("en-US")} iterations, and independent whole runs with intervals as narrow would train ${cost.independent.numIterations.toLocaleString("en-US")} (${cost.independent.numRuns} runs)`,
        ]
      : []),
    ...["WebShop", "Sokoban"].map((name) => {
      const all = runs.filter(({ group }) => group.includes(name));
      const trained = all.reduce((sum, { numIterations }) => sum + numIterations, 0);
      return `${name} ${trained.toLocaleString("en-US")}`;
    }),
    `none of ${armAt(20, mask)?.numJudged} branches with the mask collapsed (${armAt(20, mask)?.numUnclear} unclear), none with GSPO's ratio (${armAt(20, gspo)?.numUnclear} unclear), ${armAt(20, rate)?.numCollapsed} with the lower learning rate (${armAt(20, rate)?.numUnclear} unclear), and ${armAt(20, nothing)?.numCollapsed} unchanged ones (${armAt(20, nothing)?.numUnclear} unclear)`,
    `the mask left ${atAlarm?.numCollapsed} of ${atAlarm?.numJudged} branches collapsed and unchanged ones ${armAt(0, nothing)?.numCollapsed} of ${armAt(0, nothing)?.numJudged}: ${atAlarm && writeEffect(atAlarm.collapseDifference).replace(" [", " points [")}`,
    `learning rate 10 before: p ${writeP(armAt(10, rate)?.pHolm ?? NaN)}`,
    ...listLatest(report),
    ...listEnvironments(report),
    ...listSynchronous(report),
    ...listContrasts(runs),
  ];
}

function writeRow(arm: ArmReport, leads: readonly ArmReport[]): string {
  const { numCollapsed, numJudged, numUnclear, numBefore, success, successDifference, pHolm, isNothing } = arm;
  const cells = [
    names[arm.arm],
    `${numCollapsed} of ${numJudged}, ${numUnclear} unclear`,
    numBefore,
    write(success),
    isNothing ? "–" : writeEffect(successDifference),
    isNothing ? "–" : writeP(pHolm),
    ...leads.map((one) => (isNothing ? "–" : writeEffect(one.successDifference))),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Latest branching points that keep half of the branches, with their intervals. */
function listLatest({ latest }: RescueAnswer): string[] {
  const place = (lead: number | null) => (lead === null ? "never" : lead === 0 ? "at the alarm" : `${lead} before`);
  const of = (name = "") => {
    const { at = null, interval } = latest.find(({ arm }) => arm === name) ?? {};
    return { at: place(at), range: `[${place(interval?.low ?? null)}, ${place(interval?.high ?? null)}]` };
  };
  const others = latest.filter(({ arm }) => ![mask, gspo, kl, rate].includes(arm));
  return [
    `${of(mask).at} with the mask ${of(mask).range}, GSPO's ratio or KL ${of(gspo).range}; ${of(rate).at.replace(" before", " before it")} with the learning rate ${of(rate).range}; ${others.every(({ at }) => at === null) ? "never" : "partly"} with the other changes`,
  ];
}

/** Hypothesis 8: origins and iterations whose unchanged branches end more than 20 points apart. */
function listSpread(runs: readonly Run[]): string[] {
  const all = [
    ...groupBy(
      runs.filter(({ arm }) => arm === nothing),
      (one) => `${one.origin} ${one.iteration}`,
    ).values(),
  ];
  const countWide = (isTaken: (run: Run) => boolean) =>
    all.filter((some) => {
      const successes = some.filter(isTaken).map(({ success }) => success);
      return Math.max(...successes) - Math.min(...successes) > 0.2;
    }).length;
  return [
    `in ${countWide(() => true)} of ${all.length} origins and iterations`,
    `${countWide(({ continuation }) => continuation > 0)} of ${all.length} `,
  ];
}

/** Collapses that counted before 28 November, although the branch's own fall precedes its change. */
function listOldCounts(runs: readonly Run[]): string[] {
  const placesOf = new Map(
    [...groupBy(runs, ({ origin }) => origin)].map(([origin, all]) => [
      origin,
      [...new Set(all.map(({ iteration }) => iteration))].toSorted((a, b) => b - a),
    ]),
  );
  const [alarm, ten, twenty] = [0, 1, 2].map((place) => {
    const fallen = runs.filter(
      (one) => placesOf.get(one.origin)?.[place] === one.iteration && one.hindsight.startsWith("collapsed"),
    );
    const numBefore = fallen.filter(({ time }) => time === 0).length;
    return `${numBefore === 0 ? "none" : numBefore} of ${fallen.length}`;
  });
  return [`at the alarm ${alarm}, 10 before it ${ten}, 20 before it ${twenty}`];
}

/** Mean differences to unchanged branches, by origin. */
function effectsOf(runs: readonly Run[], arm = "", isTaken: (run: Run) => boolean = () => true): Map<string, number> {
  const place = ({ origin, iteration, continuation }: Run) => `${origin} ${iteration} ${continuation}`;
  const unchanged = new Map(runs.flatMap((one) => (one.arm === nothing ? [[place(one), one.success] as const] : [])));
  const changed = runs.filter((one) => one.arm === arm && one.continuation > 0 && isTaken(one));
  return new Map(
    [...groupBy(changed, ({ origin }) => origin)].map(([origin, all]) => [
      origin,
      mean(all.map((one) => one.success - (unchanged.get(place(one)) ?? NaN))),
    ]),
  );
}

function listEnvironments({ runs }: RescueAnswer): string[] {
  const arms = Object.keys(names).slice(1);
  const testsIn = (name: string) => {
    const own = runs.filter(({ group }) => group.includes(name));
    const tests = arms.map((arm) => {
      const effects = [...effectsOf(own, arm).values()];
      return {
        arm,
        ...pairedTTest(
          effects,
          effects.map(() => 0),
        ),
      };
    });
    const adjusted = holm(tests.map(({ p }) => p));
    const unchanged = own.filter(({ arm, continuation }) => arm === nothing && continuation > 0);
    return {
      of: (arm = "") => tests.find((one) => one.arm === arm) ?? { difference: NaN, interval: { low: NaN, high: NaN } },
      p: (arm = "") => writeP(adjusted[arms.indexOf(arm)] ?? NaN),
      level: write(mean(unchanged.map(({ success }) => success))),
    };
  };
  const [shop, grid] = [testsIn("WebShop"), testsIn("Sokoban")];
  const gain = (arm = "") => sign(write(shop.of(arm).difference));
  return [
    `(mask ${writeEffect(shop.of(mask))}, GSPO's ratio ${gain(gspo)}, learning rate ${gain(rate)}, KL ${gain(kl)})`,
    `because unchanged runs end lower (${shop.level} %, Sokoban ${grid.level} %)`,
    `(p ${grid.p(mask)}, ${grid.p(kl)}; GSPO's ratio and learning rate ${grid.p(gspo)})`,
  ];
}

function listSynchronous({ groups }: RescueAnswer): string[] {
  const arms = groups.find(({ group }) => group.startsWith("CISPO"))?.arms ?? [];
  const base = arms.find(({ isNothing }) => isNothing);
  const of = (name = "") => {
    const effect = arms.find(({ arm }) => arm === name)?.successDifference;
    return effect ? writeEffect(effect, false) : "";
  };
  const p = (name = "") => writeP(arms.find(({ arm }) => arm === name)?.pHolm ?? NaN);
  const [, , , , , clip, dynamic, batch] = Object.keys(names);
  const points = (name = "") => of(name).replace(" [", " points [");
  return [
    `(${base?.numRuns} pairs; unchanged branches end at ${write(base?.success ?? NaN)} %; none collapsed, ${base?.numUnclear} are unclear)`,
    `learning rate ÷ 5 raises success by ${points(rate)}, KL 0.01 to 0.05 by ${of(kl)}, the mask by ${of(mask)}, mini-batch × 4 by ${of(batch)}, dynamic sampling by ${of(dynamic)} and GSPO's ratio by ${of(gspo)}; half the clip range lowers it by ${of(clip).replace("−", "")}`,
    `(p ${p(rate)}, ${p(kl)}, ${p(mask)})`,
  ];
}

/** Hypotheses 3, 4, 6 and 7: contrasts of two arms, or of two times, over the origins of both. */
function listContrasts(runs: readonly Run[]): string[] {
  const contrast = (x: ReadonlyMap<string, number>, y: ReadonlyMap<string, number>) => {
    const shared = [...x.keys()].filter((origin) => y.has(origin));
    const of = (side: ReadonlyMap<string, number>) => shared.map((origin) => side.get(origin) ?? NaN);
    return pairedTTest(of(x), of(y));
  };
  const [, , , , , clip, , batch] = Object.keys(names);
  const all = (arm = "") => effectsOf(runs, arm);
  const byOrigin = [...all(batch).values()];
  const [toMask, toRate] = [contrast(all(kl), all(mask)), contrast(all(kl), all(rate))];
  const [clipToRate, clipToMask] = [contrast(all(clip), all(rate)), contrast(all(clip), all(mask))];
  const late = [mask, gspo, rate, kl].map((arm) => {
    const at = (lead: number) => effectsOf(runs, arm, (one) => one.lead === lead);
    return contrast(at(20), at(0));
  });
  const gains = late.map(({ difference }) => difference);
  return [
    `By origin, the difference lies between ${write(Math.min(...byOrigin))} and ${sign(write(Math.max(...byOrigin)))}`,
    `less than the mask (${write(toMask.difference)} points, t ${Math.abs(toMask.t).toFixed(1)}, 11 degrees of freedom, p ${writeP(toMask.p, 4)}`,
    `as much as the learning rate (${write(toRate.difference)}, t ${Math.abs(toRate.t).toFixed(1)})`,
    `${write(-clipToRate.difference)} points less than the learning rate (t ${Math.abs(clipToRate.t).toFixed(1)}), ${write(-clipToMask.difference)} less than the mask (t ${Math.abs(clipToMask.t).toFixed(1)})`,
    `(${write(Math.min(...gains))} to ${write(Math.max(...gains))} points, p ≤ ${writeP(Math.max(...late.map(({ p }) => p)), 4)})`,
  ];
}
