import { hyperparameters } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { type DimensionId, titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { plainEnvironment } from "#trainer/spec/environmentParts.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { formatSetting } from "#packages/base";

export type SpecLine = {
  path: string;
  /** Title of the setting in forms; if no form has it, its key in words. */
  title: string;
  value: string;
  /** Default if the setting differs from it, else null; "none" if the defaults lack the setting. */
  usual: string | null;
  about: string | null;
};

export function prepareSpec(spec: CellSpec): { name: string; lines: SpecLine[] }[] {
  const { environment, method, initialisation } = spec;
  const defaults = CellSpec.parse({
    environment: plainEnvironment(environment),
    method,
    initialisation: "run" in initialisation ? initialisation : { kind: initialisation.kind },
  });
  const usual = new Map(flatten(defaults));
  const about = new Map(
    hyperparameters().map(({ path, title, description }) => [path, description ? `${title}: ${description}` : title]),
  );
  const groups = new Map<string, SpecLine[]>();
  for (const [path, value] of flatten(spec)) {
    const [name = "", ...rest] = path.split(".");
    const standard = usual.get(path) ?? "none";
    const lines = groups.get(name) ?? [];
    lines.push({
      path: rest.join("."),
      title: nameSetting(path),
      value: tellValue(path, value),
      usual: standard === value ? null : tellValue(path, standard),
      about: about.get(path) ?? null,
    });
    groups.set(name, lines);
  }
  return [...groups].map(([name, lines]) => ({ name, lines }));
}

function nameSetting(path: string): string {
  const title = titleOfSetting(path);
  if (title !== path) return title;
  const words = path
    .split(".")
    .slice(1)
    .join(", ")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const dimensionOf: ReadonlyMap<string, DimensionId> = new Map([
  ["method.aggregation", "aggregation"],
  ["method.clipping.kind", "clipping"],
  ["method.advantage.kind", "advantage"],
  ["method.sampling.kind", "sampling"],
]);

function tellValue(path: string, value: string): string {
  const dimension = dimensionOf.get(path);
  if (dimension !== undefined) return titleOfLevel(dimension, value);
  return path === "environment.id" ? titleOfEnvironment(value) : value;
}

function flatten(value: unknown, path = ""): [path: string, value: string][] {
  if (value === null) return [[path, "off"]];
  if (typeof value === "number") return [[path, formatSetting(value)]];
  if (typeof value === "boolean") return [[path, value ? "on" : "off"]];
  if (typeof value !== "object") return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return [[path, value.join(", ")]];
  // Omits the origin of a branch, that is, the run it continues, because that run has its own page.
  const parts = Object.entries(value).filter(([key]) => path !== "initialisation" || key !== "origin");
  return parts.flatMap(([key, child]) => flatten(child, path === "" ? key : `${path}.${key}`));
}
