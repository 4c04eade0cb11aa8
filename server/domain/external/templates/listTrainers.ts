import { gpusOf, type Option, type TrainerTemplate } from "./template.ts";

/** A trainer as a form offers it. Its command and folders stay the administrator's. */
export type OfferedTrainer = {
  name: string;
  title: string;
  kind: TrainerTemplate["kind"];
  options: Readonly<Record<string, Option>>;
  /** GPUs of one machine that a run of it takes; null where its template names none. */
  gpus: number | null;
};

export function listTrainers(templates: Readonly<Record<string, TrainerTemplate>>): OfferedTrainer[] {
  return Object.entries(templates).map(([name, template]) => ({
    name,
    title: template.title ?? name,
    kind: template.kind,
    options: template.kind === "command" ? template.options : {},
    gpus: gpusOf(template) ?? null,
  }));
}
