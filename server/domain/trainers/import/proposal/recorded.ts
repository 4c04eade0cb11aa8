import type { Method } from "#trainer/spec/method.ts";

/** Method, environment and settings as parsed from a tracker's record, before their values are checked. */
export type Configured = {
  method: Method | undefined;
  environment?: string | undefined;
  settings: Readonly<Record<string, unknown>> | undefined;
};

/** Another trainer's recorded configuration, whose values are found by name; dots join nested keys. */
export type Recorded = { text: (name: string) => string | undefined; number: (name: string) => number | undefined };

/** Parses recorded parameters: names flattened with slashes (MLflow) or dots, values in Python or JSON notation. */
export function readRecorded(params: Readonly<Record<string, string>>): Recorded {
  const values = new Map(Object.entries(params).map(([name, value]) => [name.replaceAll("/", "."), value.trim()]));
  const text = (name: string) => {
    const value = values.get(name);
    return value === undefined || value === "" || value === "None" || value === "null" ? undefined : value;
  };
  return {
    text,
    number: (name) => {
      const value = Number(text(name) ?? NaN);
      return Number.isFinite(value) ? value : undefined;
    },
  };
}

export function isTrue(text: string | undefined): boolean {
  return text === "True" || text === "true";
}

export function onlyKnown<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } | undefined {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  if (known.length === 0) return undefined;
  const kept: { [Key in keyof Fields]?: NonNullable<Fields[Key]> } = {};
  return Object.assign(kept, Object.fromEntries(known));
}
