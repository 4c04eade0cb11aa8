import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import type { ChartSettings } from "./settings.ts";

export const looks = ["shade", "dash", "facet"] as const;
export type Looks = Record<(typeof looks)[number], CellField | undefined>;

/**
 * Assigns fields to visual channels. By default environments are small multiples, the first varying setting sets the lightness, the next one the
 * dashes.
 */
export function chooseLooks(
  fields: readonly CellField[],
  settings: Pick<ChartSettings, "shade" | "dash" | "facet">,
): Looks {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const chosen = (look: keyof Looks) => byKey.get(settings[look] ?? "");
  const taken = new Set(looks.map((look) => settings[look]));
  const free = fields.filter(({ key }) => key !== "environment" && key !== "sweep" && !taken.has(key));
  const shade = settings.shade === null ? free.shift() : chosen("shade");
  const dash = settings.dash === null ? free.shift() : chosen("dash");
  const environment = taken.has("environment") ? undefined : byKey.get("environment");
  return { shade, dash, facet: settings.facet === null ? environment : chosen("facet") };
}
