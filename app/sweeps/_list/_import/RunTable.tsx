import { z } from "zod";
import { formatCount } from "#app/_charts/format.ts";
import { sayLast, saySteps } from "#server/domain/trainers/import/sayLast.ts";

const Value = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
/** A run that an import would make, with the numbers of its steps, its last values, and its files. */
export const PreviewedRun = z.object({
  id: z.string(),
  name: z.string(),
  method: z.string(),
  environment: z.string(),
  seed: z.number(),
  steps: z.number(),
  lastStep: z.number(),
  files: z.array(z.string()),
  last: z.record(z.string(), Value),
});
type PreviewedRun = z.infer<typeof PreviewedRun>;

/** Changes by the user to runs of the preview, by their ids. */
export type Edits = Readonly<
  Record<string, { method?: string; environment?: string; seed?: number; isLeftOut?: boolean }>
>;

type Props = { runs: readonly PreviewedRun[]; edits: Edits; onEdit: (edits: Edits) => void };

/** The runs of an import, whose methods, environments and seeds can be changed, or which can be left out. */
export function RunTable({ runs, edits, onEdit }: Props) {
  const numLeft = runs.filter(({ id }) => edits[id]?.isLeftOut).length;
  return (
    <section aria-label="Runs of the files" className="flex flex-col gap-1">
      <p className="text-sm">
        {formatCount(runs.length, "run")}
        {numLeft > 0 && `, ${numLeft} left out`}. Correct what the names of files and folders do not say.
      </p>
      <div className="max-h-80 overflow-auto rounded-lg border border-line">
        <table className="w-full text-sm">
          <thead className="sticky top-0 bg-surface text-left text-xs text-muted">
            <tr>
              {["Import", "Method", "Environment", "Seed"].map((title) => (
                <th key={title} scope="col" className="px-2 py-1 font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          {runs.map((run) => (
            <RunRows
              key={run.id}
              run={{ ...run, ...edits[run.id] }}
              onEdit={(edit) => onEdit({ ...edits, [run.id]: { ...edits[run.id], ...edit } })}
            />
          ))}
        </table>
      </div>
    </section>
  );
}

type RowProps = { run: PreviewedRun & Edits[string]; onEdit: (edit: Edits[string]) => void };

const inputClass = "w-full min-w-0 rounded border border-edge bg-surface px-1.5 py-0.5 disabled:opacity-50";

function RunRows({ run, onEdit }: RowProps) {
  const { name, method, environment, seed, isLeftOut = false, files } = run;
  return (
    <tbody className="border-t border-line">
      <tr>
        <td className="px-2 pt-1.5">
          <input
            type="checkbox"
            aria-label={`Import ${name}`}
            checked={!isLeftOut}
            onChange={({ target }) => onEdit({ isLeftOut: !target.checked })}
          />
        </td>
        <td className="px-2 pt-1.5">
          <input
            aria-label={`Method of ${name}`}
            className={inputClass}
            value={method}
            maxLength={200}
            disabled={isLeftOut}
            onChange={({ target }) => onEdit({ method: target.value })}
          />
        </td>
        <td className="px-2 pt-1.5">
          <input
            aria-label={`Environment of ${name}`}
            className={inputClass}
            value={environment}
            maxLength={100}
            disabled={isLeftOut}
            onChange={({ target }) => onEdit({ environment: target.value })}
          />
        </td>
        <td className="w-20 px-2 pt-1.5">
          <input
            type="number"
            min={0}
            aria-label={`Seed of ${name}`}
            className={inputClass}
            value={seed}
            disabled={isLeftOut}
            onChange={({ target }) => onEdit({ seed: Math.max(0, Math.trunc(target.valueAsNumber || 0)) })}
          />
        </td>
      </tr>
      <tr>
        <td />
        <td colSpan={3} className="px-2 pb-1.5 text-xs break-words text-muted">
          {saySteps(run)}; {sayLast(run.last)}
          <br />
          <span title={files.join("\n")}>
            {files[0]}
            {files.length > 1 && ` and ${formatCount(files.length - 1, "more file", "more files")}`}
          </span>
        </td>
      </tr>
    </tbody>
  );
}
