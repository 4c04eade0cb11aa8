import type { ChartPart } from "./chartParts.ts";
import { prepareChart, type ChartModel } from "./prepareChart.ts";

type Input = Parameters<typeof prepareChart>[0];
type Context = NonNullable<Parameters<typeof prepareChart>[1]>;

/** Returns a small multiple, or the whole chart. Multiples share the y-axis; each environment has its own x-axis. */
export function preparePart(input: Input, context: Context, part: ChartPart | undefined): ChartModel {
  const whole = prepareChart(input, context);
  if (part === undefined) return whole;
  const { legend, others, environment, name } = part;
  const hidden = new Set([...input.settings.hidden, ...others]);
  const shown = { ...input, legend, settings: { ...input.settings, hidden } };
  const model = prepareChart(shown, { ...context, others: new Set(others), environment });
  return { ...model, title: `${model.title}, ${name}`, x: environment === undefined ? whole.x : model.x, y: whole.y };
}
