import { createContext, use, useState, type ReactNode } from "react";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import type { FieldIssue } from "./draft/check.ts";
import { policyKindOf } from "./draft/policy.ts";
import type { Part } from "./draft/sweepFile.ts";
import { sectionOf, type SectionId } from "./sections.ts";

type Form = {
  /** Contents of the sweep file; a field's name is its path in the file, joined by dots. */
  file: Part;
  /** Settings of what is switched off. */
  aside: Part;
  edit: (file: Part, aside?: Part) => void;
  issues: readonly FieldIssue[];
  /** Execution providers that no node of the fleet supports, each with the reason. */
  absent: Readonly<Record<string, string>>;
  models: readonly ModelFacts[];
};

const FormContext = createContext<Form | undefined>(undefined);

export function FormProvider({ form, children }: { form: Form; children: ReactNode }) {
  return <FormContext value={form}>{children}</FormContext>;
}

/** Returns the form's contents, and `problemOf`, which returns the error message of a field. */
export function useForm() {
  const form = use(FormContext);
  if (form === undefined) throw new Error("a field outside of the form");
  const problemOf = (field: string) => form.issues.find((issue) => issue.field === field)?.message;
  return { ...form, problemOf };
}

/** Lists the error messages of a form path that has no input of its own. */
export function Problems({ field }: { field: string }) {
  const { issues } = useForm();
  const messages = issues.flatMap((issue) => (issue.field === field ? [issue.message] : []));
  return [...new Set(messages)].map((message) => (
    <p key={message} className="text-xs text-bad">
      {message}
    </p>
  ));
}

type Props = { id: SectionId; title: string; summary: string; children: ReactNode };

/** A section that opens on demand, and automatically for an error inside. Its header summarises its values. */
export function Fold({ id, title, summary, children }: Props) {
  const { file, issues } = useForm();
  const kind = policyKindOf(file);
  const hasProblem = issues.some(({ field }) => sectionOf(field, kind) === id);
  const [isOpen, setOpen] = useState(false);
  const [hadProblem, setHadProblem] = useState(false);
  if (hasProblem !== hadProblem) {
    setHadProblem(hasProblem);
    if (hasProblem) setOpen(true);
  }
  return (
    <details
      id={id}
      open={isOpen}
      onToggle={({ target, currentTarget }) => target === currentTarget && setOpen(currentTarget.open)}
      className="scroll-mt-16 px-4"
    >
      <summary className="py-2">
        <span className="font-medium">{title}</span>
        <span className="ml-2 text-sm break-words text-muted">{summary}</span>
      </summary>
      {isOpen && <div className="pt-1 pb-4">{children}</div>}
    </details>
  );
}
