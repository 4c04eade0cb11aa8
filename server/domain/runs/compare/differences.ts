import { leavesOf } from "#trainer/spec/leaves.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/settingTitles.ts";

/** A setting with its value in each configuration, in their order; undefined where absent. */
export type ComparedSetting = { path: string; title: string; values: readonly unknown[] };

/** Settings that differ between configurations, and settings that all share. */
export type Differences = { differing: ComparedSetting[]; same: ComparedSetting[] };

/** Splits the settings of these configurations into differing and shared ones, in order of first appearance. */
export function compareSpecs(specs: readonly StoredSpec[]): Differences {
  const all = specs.map((spec) => new Map(settingsOf(spec)));
  const paths = new Set(all.flatMap((settings) => [...settings.keys()]));
  const compared = [...paths].map((path) => ({
    path,
    title: path === "importedAs" ? "Imported as" : titleOfSetting(path),
    values: all.map((settings) => settings.get(path)),
  }));
  const isSame = ({ values }: ComparedSetting) => new Set(values.map((value) => JSON.stringify(value))).size === 1;
  return { differing: compared.filter((one) => !isSame(one)), same: compared.filter(isSame) };
}

/** Leaves by dotted path. Labels of an imported run have the names of a plan's settings. */
function settingsOf(spec: StoredSpec): [path: string, value: unknown][] {
  const tree = isImported(spec)
    ? {
        environment: spec.environment,
        ...(spec.stated?.method ? { method: spec.stated.method } : { importedAs: spec.method }),
        ...spec.stated?.settings,
      }
    : withoutExecution(spec);
  return leavesOf(tree).map(([path, value]) => [path.join("."), value]);
}

/** Settings of execution, which do not change results. */
function withoutExecution(spec: Exclude<StoredSpec, { kind: "imported" }>): object {
  const { execution: _, ...rest } = spec;
  return rest;
}
