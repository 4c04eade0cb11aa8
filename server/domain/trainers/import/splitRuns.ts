import type { LoggedStep } from "#packages/trainers";
import { groupBy } from "#packages/base";
import type { RunInFile } from "./foreignRun.ts";
import { nameFile } from "./nameFile.ts";

const settingColumn =
  /^(method|algo|algorithm|agent|env|env_id|env_name|environment|task|seed|trial|exp_name|variant)$/i;

/** Finds columns that say which run a table's row belongs to. */
export function findSettings(names: readonly string[]): number[] {
  return names.flatMap((name, i) => (settingColumn.test(name) ? [i] : []));
}

type Told = { config: Readonly<Record<string, string>>; lines: LoggedStep[] };

/**
 * Makes runs of the lines in a file, given the settings of each group. Several groups are several runs if they have
 * steps in common; otherwise a setting, such as the task, changed within a run.
 */
export function toRuns(fileName: string, groups: readonly Told[]): RunInFile[] {
  const [first] = groups;
  if (groups.length === 1 && first) return [{ name: "", ...first }];
  const steps = groups.map(({ lines }) => new Set(lines.map(({ step }) => step)));
  const isShared = new Set(steps.flatMap((some) => [...some])).size < steps.reduce((sum, { size }) => sum + size, 0);
  if (!isShared) {
    return [{ name: "", lines: groups.flatMap(({ lines }) => lines).toSorted((a, b) => a.step - b.step) }];
  }
  const stem = nameFile(fileName).name.replace(/(\.[A-Za-z]\w*)+$/, "");
  return groups.map(({ config, lines }) => {
    const words = Object.entries(config).map(([key, value]) => (/^seed$/i.test(key) ? `seed${value}` : value));
    const hasMethod = Object.keys(config).some((key) => /^(method|algo|algorithm|agent|exp_name)$/i.test(key));
    const name = [...(hasMethod ? [] : [stem]), ...words].join(" ");
    return { name, id: `${fileName} ${name}`, config, lines };
  });
}

/** Splits JSON lines that state their seeds into runs. */
export function splitSeeds(fileName: string, run: RunInFile): RunInFile[] {
  if (!run.lines.every(({ values }) => Number.isInteger(values["seed"]))) return [run];
  const groups = [...groupBy(run.lines, ({ values }) => String(values["seed"]))].map(([seed, lines]) => {
    const withoutSeed = lines.map((line) => {
      const { seed: own, ...values } = line.values;
      return own === undefined ? line : { ...line, values };
    });
    return { config: { seed }, lines: withoutSeed };
  });
  return toRuns(fileName, groups).map((one) => ({ ...run, ...one }));
}
