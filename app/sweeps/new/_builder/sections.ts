import { dimensionTexts } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { formatCount } from "#packages/base";
import { draftEnvironment } from "#app/_components/episode/environmentDraft.ts";
import { correctionFieldAt } from "./draft/correctionDraft.ts";
import {
  isEnvironmentId,
  titleOfDraft,
  type Draft,
  type PartDraft,
  type PlannedDraft,
  type PolicyKind,
} from "./draft/draft.ts";
import { fieldAt, fieldsOfEnvironment, fieldsWithin } from "./draft/fields.ts";
import { isOfPolicy, modelPath, policyKindOf } from "./draft/policyDraft.ts";
import { samplerTitles } from "./draft/searchDraft.ts";
import { iterationsPath } from "./prepareGroups.ts";

/** Sections of the form for a new sweep; each name is also the id of the section's HTML element. */
export type SectionId =
  `section-${"basics" | "methods" | "environments" | "settings" | "elsewhere" | "dimensions" | "policy" | "hyperparameters" | "search" | "running" | "trainer" | "note"}`;

/** Sections of the fields, by the first part of their path. */
const sectionsByStart: Readonly<Record<string, SectionId>> = {
  name: "section-basics",
  seeds: "section-basics",
  description: "section-note",
  trainer: "section-trainer",
  search: "section-search",
  elsewhere: "section-elsewhere",
  methods: "section-methods",
  stopping: "section-running",
  rescue: "section-running",
  placement: "section-running",
};

/** Returns the section in which a field shows its problem; undefined if the form has no such field. */
export function sectionOf(field: string, policy: PolicyKind): SectionId | undefined {
  const [first = "", second = "", , ...rest] = field.split(".");
  if (first === "values") return sectionOfValue(field.slice("values.".length), policy);
  if (first === "environments") return second === "" ? "section-environments" : "section-settings";
  if (first !== "grid") return Object.hasOwn(sectionsByStart, first) ? sectionsByStart[first] : undefined;
  if (second === "") return undefined;
  const isKnown = second === "correction" && correctionFieldAt(rest.join(".")) !== undefined;
  return isKnown || rest.length === 0 || fieldAt(`method.${second}.${rest.join(".")}`)
    ? "section-dimensions"
    : undefined;
}

function sectionOfValue(path: string, policy: PolicyKind): SectionId | undefined {
  if (path === iterationsPath) return "section-basics";
  if (fieldAt(path) && isOfPolicy(path, policy)) return "section-policy";
  return fieldAt(path) || fieldsWithin(path).length > 0 ? "section-hyperparameters" : undefined;
}

export function describeSections(draft: Draft) {
  return {
    settings: draft.environments.map(describeEnvironment).join("; ") || "No environment",
    elsewhere: listSome(draft.elsewhere.map(namePart), "In the run’s own environment only"),
    dimensions: describeGrid(draft),
    policy: describePolicy(draft),
    hyperparameters: describeValues(draft),
    search: describeSearch(draft),
    running: describeRunning(draft),
    trainer: draft.trainer?.name ?? "The built-in trainer",
    note: draft.description || "None",
  };
}

const maxNamed = 3;

function listSome(parts: readonly string[], none: string): string {
  if (parts.length === 0) return none;
  const more = parts.length - maxNamed;
  return [...parts.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Makes the first letter lower-case, except in abbreviations: "room size", but "KL coefficient". */
function lower(title: string): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function describeEnvironment(environment: PlannedDraft): string {
  const { id, values, attached, parts } = environment;
  if (parts) return `${titleOfDraft(environment)}: ${listSome(parts.map(namePart), "no parts")}`;
  const usual = isEnvironmentId(id) ? draftEnvironment(defaultEnvironment(id)).values : {};
  const changed = fieldsOfEnvironment(id).flatMap(({ path, title }) => {
    const knob = path.slice("environment.".length);
    const text = values[knob] ?? "";
    return text === "" || text === (usual[knob] ?? "") ? [] : [`${lower(title)} ${text}`];
  });
  return `${titleOfDraft(environment)}: ${listSome([...changed, ...(attached ? ["own settings"] : [])], "defaults")}`;
}

function namePart({ name, environment }: Pick<PartDraft, "name" | "environment">): string {
  return name || environment.id;
}

function describeGrid({ grid }: Draft): string {
  const ticked = dimensionTexts.flatMap(({ id, title, levels }) => {
    const kinds = [...new Set(grid[id].map(({ kind }) => kind))];
    const names = kinds.map((kind) => levels.find((level) => level.id === kind)?.title ?? kind);
    return names.length === 0 ? [] : [`${title}: ${names.join(", ")}`];
  });
  const corrections = grid.correction.length === 0 ? [] : [formatCount(grid.correction.length, "correction")];
  return [...ticked, ...corrections].join("; ") || "No levels ticked";
}

function describePolicy(draft: Draft): string {
  if (policyKindOf(draft) === "pretrained") return draft.values[modelPath] ?? "No model named";
  const size = fieldAt("policy.size");
  return `Built-in, ${draft.values["policy.size"] ?? (size?.kind === "choice" ? size.default : "")}`;
}

function describeValues(draft: Draft): string {
  const kind = policyKindOf(draft);
  const set = Object.entries(draft.values).filter(([path]) => path !== iterationsPath && !isOfPolicy(path, kind));
  return listSome(
    set.map(([path, text]) => `${lower(fieldAt(path)?.title ?? path)} ${text}`),
    "Defaults",
  );
}

function describeSearch({ search }: Draft): string {
  if (!search?.isOn) return "Off";
  const sampler = samplerTitles[search.values["sampler.kind"] || "tpe"];
  const titles = search.space.flatMap(({ path }) => (path === "" ? [] : lower(fieldAt(path)?.title ?? path)));
  const trials = search.values["trials"] || "no";
  return `${sampler}, ${trials} trials over ${listSome(titles, "no hyperparameter")}`;
}

function describeRunning({ plan }: Draft): string {
  const {
    "placement.slots": slots = "1",
    "placement.labels": labels = "",
    "stopping.at": at = "",
    "rescue.on": on = "",
  } = plan;
  const where = labels === "" ? "of any node" : `of a node with labels ${labels}`;
  const stop = at === "" ? "no early stopping" : `stops a run when ${at}`;
  const rescue = on === "" ? "" : `, rescue when ${on}`;
  return `${slots || "1"} ${slots === "1" || slots === "" ? "slot" : "slots"} ${where}, ${stop}${rescue}`;
}

export function listKept({ rules }: Draft): string[] {
  return Object.entries(rules ?? {}).flatMap(([name, value]) => (Object.keys(value ?? {}).length > 0 ? [name] : []));
}
