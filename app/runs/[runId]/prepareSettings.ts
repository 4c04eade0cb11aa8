import { formatCount } from "#packages/base";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/labels/settingTitles.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { prepareSpec } from "./prepareSpec.ts";

export type Setting = { path: string; title: string; value: string; usual: string };

export type Settings = {
  environment: string;
  dimensions: { title: string; kind: string }[];
  /** Settings that differ from the defaults of this environment and method, in the order of the specification. */
  differences: Setting[];
  numUsual: number;
};

export function prepareSettings(spec: StoredSpec): Settings {
  if (isImported(spec)) {
    const environment = titleOfEnvironment(nameOfEnvironment(spec.environment));
    return { environment, dimensions: [], differences: [], numUsual: 0 };
  }
  const lines = prepareSpec(spec).flatMap(({ name, lines }) =>
    lines.map((line) => ({ ...line, path: line.path === "" ? name : `${name}.${line.path}` })),
  );
  const different = lines.flatMap(({ path, value, usual }): Setting[] =>
    usual === null ? [] : [{ path, title: titleOfSetting(path), value, usual }],
  );
  const path = "evaluation.elsewhere";
  const numElsewhere = spec.evaluation.elsewhere?.length ?? 0;
  const elsewhere = {
    path,
    title: "Evaluated elsewhere",
    value: formatCount(numElsewhere, "environment"),
    usual: "none",
  };
  const kinds = factorLevels(spec.method);
  return {
    environment: labelEnvironments([spec.environment])[0] ?? "",
    dimensions: dimensionTexts.map(({ id, title, levels }) => {
      return { title, kind: levels.find((level) => level.id === kinds[id])?.title ?? kinds[id] };
    }),
    differences: [
      ...different.filter((one) => !one.path.startsWith(`${path}.`)),
      ...(numElsewhere > 0 ? [elsewhere] : []),
    ],
    numUsual: lines.length - different.length,
  };
}
