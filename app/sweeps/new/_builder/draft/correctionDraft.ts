import { Correction, Rejection } from "#trainer/spec/correctionSchema.ts";
import { fieldsOf, type Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { readAt } from "#packages/base";
import type { CorrectionDraft, LevelDraft } from "./draft.ts";
import { addRefusals, expandFields, type FieldIssue } from "./levels.ts";
import { formatList } from "./texts.ts";

export type CorrectionPart = "weight" | "reject" | "step";

let known: Record<CorrectionPart | "whole", readonly Hyperparameter[]> | undefined;

function knownFields() {
  if (known) return known;
  const whole = fieldsOf(Correction, "correction");
  const of = (part: string) => whole.filter(({ path }) => path.startsWith(`correction.${part}.`));
  known = {
    weight: of("weight"),
    step: of("step"),
    reject: fieldsOf(Rejection, "correction.reject"),
    whole: whole.filter(({ path }) => path.split(".").length === 2),
  };
  return known;
}

/** Returns the fields of a correction's part with this kind; for "whole", fields outside the parts. */
export function fieldsOfCorrection(part: CorrectionPart | "whole", kind = ""): Hyperparameter[] {
  return knownFields()[part].filter(({ when }) => when === undefined || when.values.includes(kind));
}

/** Returns a field's name within its part of the correction: `low` for `correction.weight.low`. */
export function nameInPart({ path }: Hyperparameter): string {
  return path.split(".").at(-1) ?? path;
}

/** Returns the field of a correction at a form path such as "weight.low" or "reject.0.high". */
export function correctionFieldAt(field: string): Hyperparameter | undefined {
  const path = `correction.${field.replace(/^reject\.\d+\./, "reject.")}`;
  return Object.values(knownFields())
    .flat()
    .find((one) => one.path === path);
}

/** Returns a new correction, the most common one: truncated importance weights per token with a maximum of 2. */
export function startCorrection(): CorrectionDraft {
  return draftCorrection(Correction.parse({ weight: { kind: "clip", high: 2 } }));
}

/** Returns the defaults of a kind. Texts of the previous kind are kept if the new kind has the field. */
export function startPart(part: CorrectionPart, kind: string, before: LevelDraft | undefined): LevelDraft {
  const fields = kind === "" ? [] : fieldsOfCorrection(part, kind);
  const values = fields.map((field) => {
    const name = nameInPart(field);
    const usual = field.default === undefined ? "" : formatList([field.default]);
    return [name, before?.values[name] ?? usual] as const;
  });
  return { kind, values: Object.fromEntries(values) };
}

export function draftCorrection(correction: Correction): CorrectionDraft {
  const { weight, reject, step } = correction;
  return {
    values: textsOf("whole", "", correction),
    weight: weight ? { kind: weight.kind, values: textsOf("weight", weight.kind, weight) } : { kind: "", values: {} },
    reject: reject.map((one) => ({ kind: one.kind, values: textsOf("reject", one.kind, one) })),
    step: step ? { kind: step.kind, values: textsOf("step", step.kind, step) } : { kind: "", values: {} },
  };
}

function textsOf(part: CorrectionPart | "whole", kind: string, from: object): Record<string, string> {
  return Object.fromEntries(
    fieldsOfCorrection(part, kind).map((field) => {
      const value = readAt(from, nameInPart(field));
      return [nameInPart(field), value === null || value === undefined ? "" : formatList([value])];
    }),
  );
}

type Expanded = { levels: unknown[]; issues: FieldIssue[] };

/** Expands each correction to the product of its listed values; null means none. Issues: "0.weight.low". */
export function expandCorrections(drafts: readonly (CorrectionDraft | null)[]): Expanded {
  const expanded = drafts.map((draft): Expanded => (draft ? expandCorrection(draft) : { levels: [null], issues: [] }));
  return {
    levels: expanded.flatMap(({ levels }) => levels),
    issues: expanded.flatMap(({ issues }, i) =>
      issues.map(({ field, message }) => ({ field: `${i}.${field}`, message })),
    ),
  };
}

function expandCorrection(draft: CorrectionDraft): Expanded {
  const issues: FieldIssue[] = [];
  const expand = (part: CorrectionPart | "whole", { kind, values }: LevelDraft, at: string): unknown[] => {
    const fields = fieldsOfCorrection(part, kind).map((field) => ({ field, name: nameInPart(field) }));
    const { levels, issues: found } = expandFields(kind === "" ? {} : { kind }, fields, values);
    issues.push(...found.map(({ field, message }) => ({ field: `${at}${field}`, message })));
    return levels;
  };
  const expandOptional = (part: "weight" | "step") =>
    draft[part].kind === "" ? [null] : expand(part, draft[part], `${part}.`);
  const rejections = draft.reject
    .map((one, i) => expand("reject", one, `reject.${i}.`))
    .reduce<unknown[][]>((lists, made) => lists.flatMap((list) => made.map((one) => [...list, one])), [[]]);
  const [weights, steps] = [expandOptional("weight"), expandOptional("step")];
  const levels = expand("whole", { kind: "", values: draft.values }, "").flatMap((whole) =>
    weights.flatMap((weight) =>
      rejections.flatMap((reject) => steps.map((step) => Object.assign({}, whole, { weight, reject, step }))),
    ),
  );
  return { levels, issues: addRefusals(issues, Correction, levels) };
}
