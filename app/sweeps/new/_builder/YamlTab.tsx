import dynamic from "next/dynamic";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { completePlan, describePlan } from "#server/domain/plan/sweep/file/completePlan.ts";
import { sweepFileSchema, type FileSchema } from "#server/domain/plan/sweep/file/fileSchema.ts";
import type { InputIssue } from "#packages/base";
import { listFileProblems } from "./problems.ts";

const YamlEditor = dynamic(() => import("#app/_components/yaml/YamlEditor.tsx"), {
  ssr: false,
  loading: () => <Skeleton className="h-[28rem]" />,
});

let schema: FileSchema | undefined;
const readSchema = () => (schema ??= sweepFileSchema());
const language = {
  complete: (text: string, offset: number) => completePlan(readSchema(), text, offset),
  describe: (text: string, offset: number) => describePlan(readSchema(), text, offset),
};

type Props = {
  text: string;
  issues: readonly InputIssue[];
  /** True if the text is no YAML, so that the form cannot show it. */
  isBroken: boolean;
  onType: (text: string) => void;
};

/** Tab with the sweep as a YAML file, which the form shows and changes, too. */
export function YamlTab({ text, issues, isBroken, onType }: Props) {
  const open = async (file: File | undefined) => {
    if (file) onType(await file.text());
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <label className="inline-flex min-h-8 items-center rounded-md border border-edge/60 bg-surface px-3 py-1 font-medium hover:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-accent">
          Open a file…
          <input
            type="file"
            accept=".yaml,.yml"
            className="sr-only"
            onChange={({ target }) => void open(target.files?.[0])}
          />
        </label>
        <CopyButton text={text} />
      </div>
      <div id="yaml-problems" aria-live="polite">
        {issues.length > 0 && (
          <Notice tone="warn">
            <p>
              {isBroken
                ? "The form opens once this text is YAML. Until then, your text is kept; Undo takes back changes."
                : "To be corrected here or in the form:"}
            </p>
            <ul className="mt-1 list-disc pl-5 font-mono text-sm">
              {listFileProblems(issues).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
      <YamlEditor
        label="Sweep as YAML"
        describedBy="yaml-problems"
        text={text}
        issues={issues}
        language={language}
        // The editor also reports texts that undo has put in.
        onChange={(typed) => typed !== text && onType(typed)}
      />
      <p className="text-muted">
        Ctrl Space completes a word, and F8 goes to the next problem. Other editors can read the schema of sweep files
        from{" "}
        <a href="/schema/sweep.json" className="text-accent underline">
          /schema/sweep.json
        </a>
        .
      </p>
    </div>
  );
}
