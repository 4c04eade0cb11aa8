import { leavesOf } from "#trainer/spec/leaves.ts";
import type { StoredSpec } from "#server/domain/import/storedSpec.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import { titleOfSetting } from "#server/domain/sweep/settingTitles.ts";

/** A setting of several configurations: the value of each in their order, undefined where it has none. */
export type ComparedSetting = { path: string; title: string; values: readonly unknown[] };

/** What differs between configurations, and what all of them share. */
export type Differences = { differing: ComparedSetting[]; same: ComparedSetting[] };

/** Every setting of these configurations in the order in which they are first named, sorted out by whether it differs. */
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

/** Leaves by dotted path. What a person stated of an imported run stands under the names of a plan. */
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

/** How a run is carried out changes no value. */
function withoutExecution(spec: Exclude<StoredSpec, { kind: "imported" }>): object {
  const { execution: _, ...rest } = spec;
  return rest;
}
