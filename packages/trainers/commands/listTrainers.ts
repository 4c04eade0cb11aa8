import { gpusOf, type Option, type TrainerTemplate } from "./template.ts";

/** An external trainer as offered in the form for a new sweep, without its command and folders. */
export type OfferedTrainer = {
  name: string;
  title: string;
  kind: TrainerTemplate["kind"];
  options: Readonly<Record<string, Option>>;
  /** Number of GPUs of one machine that a run uses; null if the template does not state it. */
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
