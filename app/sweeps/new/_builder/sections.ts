import { dimensionTexts } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { formatCount } from "#packages/base";
import { environmentFieldAt, fieldAt, fieldsOfEnvironment, isOptionalPart, keysInEnvironment } from "./draft/fields.ts";
import { kindOf, levelsIn } from "./draft/levels.ts";
import { isOfPolicy, modelPath, policyKindOf, type PolicyKind } from "./draft/policy.ts";
import { listSet, textOf } from "./draft/settings.ts";
import { isPart, nameOfPart, partsIn, partsKeyOf, readIn, textIn, titleOf, type Part } from "./draft/sweepFile.ts";
import { formatField, formatList } from "#app/_components/setting/texts.ts";
import { iterationsPath } from "./prepareGroups.ts";

/** Sections of the form for a new sweep; each name is also the id of the section's HTML element. */
export type SectionId =
  `section-${"basics" | "methods" | "environments" | "settings" | "elsewhere" | "dimensions" | "policy" | "hyperparameters" | "search" | "running" | "trainer" | "note"}`;

/** Sections of the fields, by the first part of their path. */
const sectionsByStart: Readonly<Record<string, SectionId>> = {
  name: "section-basics",
  seeds: "section-basics",
  description: "section-note",
  search: "section-search",
  methods: "section-methods",
  stopping: "section-running",
  rescue: "section-running",
  placement: "section-running",
};

/** Returns the section in which a field shows its problem; undefined if the form has no such field. */
export function sectionOf(field: string, policy: PolicyKind): SectionId | undefined {
  const [first = "", second = "", third = ""] = field.split(".");
  if (field === "base.trainer") return "section-trainer";
  if (field.startsWith("base.evaluation.elsewhere")) return "section-elsewhere";
  if (first === "base") return sectionOfValue(field.slice("base.".length), policy);
  if (first === "environments") {
    if (second === "") return "section-environments";
    return environmentFieldAt(field) || /^(parts|phases)$/.test(third) ? "section-settings" : undefined;
  }
  if (first === "grid") return second === "" ? undefined : "section-dimensions";
  return Object.hasOwn(sectionsByStart, first) ? sectionsByStart[first] : undefined;
}

function sectionOfValue(path: string, policy: PolicyKind): SectionId | undefined {
  if (path === iterationsPath) return "section-basics";
  if (fieldAt(path) && isOfPolicy(path, policy)) return "section-policy";
  return fieldAt(path) || isOptionalPart(`base.${path}`) ? "section-hyperparameters" : undefined;
}

export function describeSections(file: Part) {
  return {
    settings: partsIn(file, ["environments"]).map(describeEnvironment).join("; ") || "No environment",
    elsewhere: listSome(
      partsIn(file, ["base", "evaluation", "elsewhere"]).map(nameOfPart),
      "In the run’s own environment only",
    ),
    dimensions: describeGrid(file),
    policy: describePolicy(file),
    hyperparameters: describeValues(file),
    search: describeSearch(file),
    running: describeRunning(file),
    trainer: textIn(file, ["base", "trainer", "name"]) || "The built-in trainer",
    note: textIn(file, ["description"]) || "None",
  };
}

export const samplerTitles: Readonly<Record<string, string>> = {
  tpe: "TPE",
  random: "Random",
  sobol: "Sobol sequence",
  grid: "Grid",
  external: "Another program",
};

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

function describeEnvironment(environment: Part): string {
  const { id, base, methods } = environment;
  const key = partsKeyOf(environment);
  if (key) return `${titleOf(environment)}: ${listSome(partsIn(environment, [key]).map(nameOfPart), "no parts")}`;
  const changed = fieldsOfEnvironment(id).flatMap((field) => {
    const text = formatField(readIn(environment, keysInEnvironment(field)), field);
    return text === "" || text === formatField(field.default, field) ? [] : [`${lower(field.title)} ${text}`];
  });
  return `${titleOf(environment)}: ${listSome([...changed, ...(base || methods ? ["own settings"] : [])], "defaults")}`;
}

function describeGrid(file: Part): string {
  const ticked = dimensionTexts.flatMap(({ id, title, levels }) => {
    const kinds = [...new Set(levelsIn(file, id).map(kindOf))];
    const names = kinds.map((kind) => levels.find((level) => level.id === kind)?.title ?? kind);
    return names.length === 0 ? [] : [`${title}: ${names.join(", ")}`];
  });
  const numCorrections = levelsIn(file, "correction").length;
  const corrections = numCorrections === 0 ? [] : [formatCount(numCorrections, "correction")];
  return [...ticked, ...corrections].join("; ") || "No levels ticked";
}

function describePolicy(file: Part): string {
  if (policyKindOf(file) === "pretrained") return textOf(file, modelPath) || "No model named";
  const size = fieldAt("policy.size");
  return `Built-in, ${textOf(file, "policy.size") || (size?.kind === "choice" ? size.default : "")}`;
}

function describeValues(file: Part): string {
  const kind = policyKindOf(file);
  const set = listSet(file).filter(({ field: { path } }) => path !== iterationsPath && !isOfPolicy(path, kind));
  return listSome(
    set.map(({ field, text }) => `${lower(field.title)} ${text}`),
    "Defaults",
  );
}

function describeSearch(file: Part): string {
  const search = readIn(file, ["search"]);
  if (search === undefined) return "Off";
  const space = readIn(search, ["space"]);
  const sampler = samplerTitles[textIn(search, ["sampler", "kind"]) || "tpe"];
  const paths = Object.keys(isPart(space) ? space : {});
  const titles = paths.flatMap((path) => (path === "" ? [] : lower(fieldAt(path)?.title ?? path)));
  const trials = textIn(search, ["trials"]) || "no";
  return `${sampler}, ${trials} trials over ${listSome(titles, "no hyperparameter")}`;
}

function describeRunning(file: Part): string {
  const [slots, at, on] = [
    ["placement", "slots"],
    ["stopping", "at"],
    ["rescue", "on"],
  ].map((path) => textIn(file, path));
  const labels = formatList([readIn(file, ["placement", "labels"]) ?? []].flat());
  const where = labels === "" ? "of any node" : `of a node with labels ${labels}`;
  const stop = at === "" ? "no early stopping" : `stops a run when ${at}`;
  const rescue = on === "" ? "" : `, rescue when ${on}`;
  return `${slots || "1"} ${slots === "1" || slots === "" ? "slot" : "slots"} ${where}, ${stop}${rescue}`;
}

/** Names the parts of the file that the form has no fields for. */
export function listKept(file: Part): string[] {
  return ["when", "exclude", "distributions", "sample"].filter((name) => file[name] !== undefined);
}
