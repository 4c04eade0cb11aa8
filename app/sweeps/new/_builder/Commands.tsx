import { formatIssue } from "#packages/base";
import { writeVariant, type CellPreview } from "#server/domain/trainers/previewCells.ts";
import { resolveMethod, type MethodChoice } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { methodsIn, type Part } from "./draft/sweepFile.ts";

/** The builder's form, in which methods can be changed; undefined while the plan is edited as YAML. */
type Form = { file: Part; edit: (file: Part) => void };

/** Shows the command that starts each cell of an external trainer; RUN and HOME in it are placeholders for folders. */
export function Commands({ cells, form }: { cells: readonly CellPreview[]; form: Form | undefined }) {
  if (cells.length === 0) return null;
  return (
    <Card title={formatCount(cells.length, "command")}>
      <ul className="divide-y divide-line">
        {cells.map((cell) => (
          <li key={cell.index}>
            <details className="py-2">
              <summary className="cursor-pointer">
                {[cell.method, cell.label].filter(Boolean).join(" · ")}
                <span className="ml-2 text-xs text-muted">{sayState(cell)}</span>
              </summary>
              <Cell cell={cell} />
              {form && cell.problems.length > 0 && <Repairs cell={cell} form={form} />}
            </details>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Replaces or removes a method that the external trainer does not support. */
function Repairs({ cell: { method, instead }, form: { file, edit } }: { cell: CellPreview; form: Form }) {
  const chosen = methodsIn(file);
  const isIt = (choice: MethodChoice) => resolveMethod(choice).label === method;
  if (!chosen.some(isIt)) return null;
  const set = (methods: readonly MethodChoice[]) => edit({ ...file, methods });
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2 text-sm">
      {instead && (
        <Button
          title={writeVariant(instead)}
          onClick={() => set(chosen.map((choice) => (isIt(choice) ? instead : choice)))}
        >
          Use {instead.name}
        </Button>
      )}
      {chosen.length > 1 && (
        <Button onClick={() => set(chosen.filter((choice) => !isIt(choice)))}>Remove {method}</Button>
      )}
    </div>
  );
}

function Cell({ cell: { command, notes, problems } }: { cell: CellPreview }) {
  return (
    <div className="mt-2 space-y-2 text-sm">
      {problems.map((problem) => (
        <p key={formatIssue(problem)} className="text-bad">
          {formatIssue(problem)}
        </p>
      ))}
      {command !== "" && (
        <>
          <pre
            tabIndex={0}
            aria-label="Command"
            className="max-h-72 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
          >
            {command}
          </pre>
          <CopyButton text={command} />
        </>
      )}
      {notes.length > 0 && (
        <ul className="list-disc space-y-1 pl-5 text-muted">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function sayState({ notes, problems }: CellPreview): string {
  if (problems.length > 0) return `refused, ${formatCount(problems.length, "reason")}`;
  return notes.length > 0 ? formatCount(notes.length, "note") : "";
}
