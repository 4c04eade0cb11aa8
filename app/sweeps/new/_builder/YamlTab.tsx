import dynamic from "next/dynamic";
import { Button } from "#app/_ui/Button.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { completePlan, describePlan } from "#server/domain/plan/sweep/file/completePlan.ts";
import { sweepFileSchema, type FileSchema } from "#server/domain/plan/sweep/file/fileSchema.ts";
import { listFileProblems } from "./problems.ts";
import type { BuilderState, BuilderAction } from "./draft/builderState.ts";
import type { ReadYaml } from "./draft/planFile.ts";

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

type Props = { yaml: BuilderState["yaml"]; read: ReadYaml; dispatch: (action: BuilderAction) => void };

/** Tab with the sweep as a YAML file. A changed, valid text updates the form when the form's tab is opened. */
export function YamlTab({ yaml, read, dispatch }: Props) {
  const open = async (file: File | undefined) => {
    if (file) dispatch({ do: "type", text: await file.text() });
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
        <CopyButton text={yaml.text} />
        {yaml.isChanged && <Button onClick={() => dispatch({ do: "discardYaml" })}>Discard changes</Button>}
      </div>
      <div id="yaml-problems" aria-live="polite">
        {read.plan === undefined && (
          <Notice tone="warn">
            <p>
              {yaml.isChanged
                ? "The form updates once this text is valid. Until then, your text is kept."
                : "The form is not complete yet. The text shows the sweep so far."}
            </p>
            <ul className="mt-1 list-disc pl-5 font-mono text-sm">
              {listFileProblems(read.issues).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Notice>
        )}
      </div>
      <YamlEditor
        label="Sweep as YAML"
        describedBy="yaml-problems"
        text={yaml.text}
        issues={read.issues}
        language={language}
        onChange={(text) => dispatch({ do: "type", text })}
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
