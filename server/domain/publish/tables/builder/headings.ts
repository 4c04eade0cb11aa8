import { fixedAggregation, methodOf, methods, type MethodName } from "#trainer/spec/method.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { dimensionTexts, titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { readAt, formatHyperparameter } from "#packages/base";
import { nameSweeps, type LaidRow } from "./rows.ts";
import type { BuilderInput } from "./input.ts";

export type Heading = { text: string; rank: number };

export type GroupChoice = { value: string; label: string };

export function listGroups(input: BuilderInput): GroupChoice[] {
  const specs = input.cells.map(({ spec }) => spec);
  return [
    { value: "dimension", label: "Design dimension" },
    { value: "paper", label: "As ARLArena's tables" },
    ...dimensionTexts
      .filter(({ id }) => new Set(specs.map((spec) => levelOf(spec, id))).size > 1)
      .map(({ id, title }) => ({ value: id, label: `${title}, by level` })),
    ...(input.sweeps.length > 1 ? [{ value: "sweep", label: "Sweep" }] : []),
    ...variedPaths(specs).map((path) => ({ value: path, label: titleOfSetting(path) })),
    { value: "none", label: "Nothing" },
  ];
}

/** Returns a row's heading and its rank; undefined if rows are not grouped. */
export function headingOf(row: LaidRow, group: string, input: BuilderInput): Heading | undefined {
  const specs = row.cells.map(({ spec }) => spec);
  const dimension = dimensionTexts.find(({ id }) => id === group);
  if (group === "none") return undefined;
  if (group === "dimension") return dimensionOf(specs);
  if (group === "paper") return groupOf.get(row.method) ?? { text: "Others", rank: Infinity };
  if (group === "sweep") {
    const names = nameSweeps(input.sweeps);
    const sweeps = [...new Set(row.cells.map(({ sweepId }) => names.get(sweepId) ?? sweepId))];
    return { text: sweeps.join(" and "), rank: [...names.values()].indexOf(sweeps[0] ?? "") };
  }
  if (dimension) {
    const levels = [...new Set(specs.map((spec) => levelOf(spec, dimension.id)))];
    const [level = "", ...others] = levels;
    const [id = "", ...additions] = level.split("+");
    const rank = dimension.levels.findIndex((one) => one.id === id);
    if (others.length > 0 || rank < 0) return { text: "Other trainers", rank: Infinity };
    const text = titleOfLevel(dimension.id, level);
    return { text, rank: rank + (additions.length === 0 ? 0 : additions.includes("correction") ? 0.75 : 0.5) };
  }
  return settingOf(specs, group);
}

/** Names the dimension in which a row's method differs from GRPO. */
function dimensionOf(specs: readonly StoredSpec[]): Heading {
  const [spec] = specs;
  const point = spec && pointOf(spec);
  if (!point) return { text: "Other trainers", rank: 6 };
  const levels = factorLevels(point);
  const base = factorLevels(methodOf("grpo"));
  // Some clippings determine the aggregation, which is then not a choice of its own.
  const differing = dimensionFactors.filter((factor) => levels[factor] !== base[factor]);
  const chosen = fixedAggregation(point) ? differing.filter((factor) => factor !== "aggregation") : differing;
  const [only] = chosen;
  if (only === undefined) return { text: "Baseline", rank: 0 };
  if (chosen.length > 1) return { text: "Several dimensions", rank: 5 };
  const index = dimensionTexts.findIndex(({ id }) => id === only);
  return { text: dimensionTexts[index]?.title ?? only, rank: index + 1 };
}

function settingOf(specs: readonly StoredSpec[], path: string): Heading {
  const values = [...new Set(specs.map((spec) => readAt(spec, path)))];
  const [value] = values;
  if (values.length > 1) return { text: `${titleOfSetting(path)}: several`, rank: Infinity };
  if (value === undefined) return { text: `Without ${titleOfSetting(path).toLowerCase()}`, rank: Infinity };
  const words =
    value === null
      ? "off"
      : typeof value === "number"
        ? formatHyperparameter(value)
        : typeof value === "string"
          ? value
          : JSON.stringify(value);
  return { text: `${titleOfSetting(path)} ${words}`, rank: typeof value === "number" ? value : 0 };
}

function levelOf(spec: StoredSpec, id: (typeof dimensionFactors)[number]): string {
  const point = pointOf(spec);
  return point ? factorLevels(point)[id] : "";
}

/** Lists settings that vary in runs of the studio, except those of method and environment. */
function variedPaths(specs: readonly StoredSpec[]): string[] {
  const settings = specs.filter((spec) => !isImported(spec)).map((spec) => new Map(flatten(spec)));
  const paths = new Set(settings.flatMap((values) => [...values.keys()]));
  return [...paths]
    .filter((path) => !/^(?:method|environment)\./.test(path))
    .filter((path) => new Set(settings.map((values) => values.get(path))).size > 1);
}

function flatten(value: unknown, prefix = ""): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [[prefix, Array.isArray(value) ? JSON.stringify(value) : value]];
  }
  return Object.entries(value).flatMap(([key, child]) => flatten(child, prefix === "" ? key : `${prefix}.${key}`));
}

/** Headings under which ARLArena's tables group methods, by the dimension that a method addresses. */
const groups = {
  Baseline: ["grpo"],
  "Loss aggregation": ["grpoSt", "drGrpo"],
  "IS clipping": ["sapo", "sapoSm", "cispo", "cispoSm", "gspo", "grpoSm", "gmpo", "aepo", "clipCov", "klCov"],
  "Advantage design": ["gigpo", "empg", "rloo", "reinforcePlusPlus", "reinforcePlusPlusBaseline", "ppo"],
  "Dynamic sampling": ["dapoGrpo", "dapoGigpo"],
  SAMPO: ["sampo"],
} as const satisfies Record<string, readonly MethodName[]>;

const groupOf: ReadonlyMap<string, Heading> = new Map(
  Object.entries(groups).flatMap(([text, names], rank) => names.map((name) => [methods[name].title, { text, rank }])),
);
