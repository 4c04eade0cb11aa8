import { correctionFieldAt } from "../draft/correctionDraft.ts";
import type { PolicyKind } from "../draft/draft.ts";
import { fieldAt, fieldsWithin } from "../draft/fields.ts";
import { isOfPolicy } from "../draft/policyDraft.ts";

/** Sections of the form in order; each is the id of an element. */
export const sections = [
  { id: "section-basics", title: "Name and seeds" },
  { id: "section-methods", title: "Methods" },
  { id: "section-dimensions", title: "Four dimensions" },
  { id: "section-environments", title: "Environments" },
  { id: "section-policy", title: "Policy" },
  { id: "section-hyperparameters", title: "Hyperparameters" },
] as const;
export type SectionId = (typeof sections)[number]["id"];

/** The section that shows a field's problem beside the field; undefined if the form has no such field. */
export function sectionOf(field: string, policy: PolicyKind): SectionId | undefined {
  const [first = "", second = "", , ...rest] = field.split(".");
  switch (first) {
    case "name":
    case "seeds":
    case "description":
    case "trainer":
      return "section-basics";
    case "methods":
      return "section-methods";
    case "environments":
      return "section-environments";
    case "grid":
      if (second === "") return undefined;
      if (second === "correction" && correctionFieldAt(rest.join("."))) return "section-dimensions";
      return rest.length === 0 || fieldAt(`method.${second}.${rest.join(".")}`) ? "section-dimensions" : undefined;
    case "values": {
      const path = field.slice("values.".length);
      if (fieldAt(path) && isOfPolicy(path, policy)) return "section-policy";
      return fieldAt(path) || fieldsWithin(path).length > 0 ? "section-hyperparameters" : undefined;
    }
    default:
      return undefined;
  }
}
