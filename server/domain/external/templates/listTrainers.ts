import type { Option, TrainerTemplate } from "./template.ts";

/** A trainer as a form offers it. Its command and folders stay the administrator's. */
export type OfferedTrainer = {
  name: string;
  title: string;
  kind: TrainerTemplate["kind"];
  options: Readonly<Record<string, Option>>;
};

export function listTrainers(templates: Readonly<Record<string, TrainerTemplate>>): OfferedTrainer[] {
  return Object.entries(templates).map(([name, template]) => ({
    name,
    title: template.title ?? name,
    kind: template.kind,
    options: template.kind === "command" ? template.options : {},
  }));
}
