/** One logged quantity: what it is called, measured in, and means. Feeds tooltips, table headers, exports and imports. */
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
  /** Which way is better; `none` where neither is. */
  better: "up" | "down" | "none";
  /** How values of one iteration are made, in the terms of the papers. */
  meaning: string;
};

export const fraction = (title: string, better: Metric["better"], meaning: string) =>
  ({ title, unit: "fraction", better, meaning }) as const;
export const timing = (title: string, meaning: string) => ({ title, unit: "ms", better: "down", meaning }) as const;
