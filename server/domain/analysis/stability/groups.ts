import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import { pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { StudyRun } from "../facts.ts";
import type { Grouping } from "./grouping.ts";

/** Returns the group to which a cell belongs; undefined for an imported cell whose method no user has entered. */
export function groupOf(cell: StudyRun["cell"], by: Grouping, spec: StoredSpec | undefined): string | undefined {
  if (by === "method" || by === "environment") return cell[by];
  if (by === "configuration") return cell.label === "" ? cell.method : `${cell.method} · ${cell.label}`;
  const point = spec && pointOf(spec);
  return point && factorLevels(point)[by];
}

export function titleOfGroup(group: string, by: Grouping): string {
  if (by === "environment") return titleOfEnvironment(group);
  const dimension = dimensionFactors.find((factor) => factor === by);
  if (dimension) return titleOfLevel(dimension, group);
  const [method = "", label] = group.split(" · ");
  return by === "configuration" && label !== undefined ? `${method} · ${titleOfLabel(label)}` : group;
}

/** True if the groups are environments or configurations, which cannot be compared at equal settings. */
export function isOfOneSetting(by: Grouping): boolean {
  return by === "environment" || by === "configuration";
}

export function needsSpec(by: Grouping): boolean {
  return dimensionFactors.some((factor) => factor === by);
}
