/**
 * Catalogue entry of one logged metric: its name, unit and meaning. Used in tooltips, table headers, exports and
 * imports.
 */
export type Metric = {
  title: string;
  unit:
    | ""
    | "nats"
    | "nats/token"
    | "tokens"
    | "turns"
    | "fraction"
    | "ms"
    | "tokens/s"
    | "rows"
    | "steps"
    | "reward"
    | "MB"
    | "°C"
    | "W";
  /** Smallest possible value; absent if the metric can be negative. Fractions lie between 0 and 1. */
  min?: 0;
  /** Direction of improvement; `none` if neither direction is better. */
  better: "up" | "down" | "none";
  /** Definition of the metric's value in one iteration, in the papers' terms. */
  meaning: string;
};

export const fraction = (title: string, better: Metric["better"], meaning: string) =>
  ({ title, unit: "fraction", better, meaning }) as const;
export const timing = (title: string, meaning: string) =>
  ({ title, unit: "ms", min: 0, better: "down", meaning }) as const;
