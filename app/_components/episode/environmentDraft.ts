import { z } from "zod";
import type { SingleEnvironment } from "#trainer/spec/environment.ts";

/** An environment in a form: its id, and the text of each settings field by the setting's name. */
export const EnvironmentDraft = z.object({ id: z.string(), values: z.record(z.string(), z.string()) });
export type EnvironmentDraft = z.infer<typeof EnvironmentDraft>;

export function draftEnvironment({ id, ...knobs }: SingleEnvironment): EnvironmentDraft {
  return { id, values: Object.fromEntries(Object.entries(knobs).flatMap(([key, value]) => toTexts(key, value))) };
}

/** Returns the form texts of an environment setting, one per path if it is nested. */
function toTexts(path: string, value: unknown): [path: string, text: string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, child]) => toTexts(`${path}.${key}`, child));
}
