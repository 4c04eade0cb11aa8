import { sweepPage } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import { useGo } from "#app/_ui/useSelection.ts";
import { useRef, useState } from "react";
import { z } from "zod";
import { formatCount } from "#app/_charts/format.ts";
import { StateButton } from "#app/_components/stating/StateButton.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { type ChosenFiles, nameSome, type PathFile } from "./chosenFiles.ts";
import { EqualFile, EqualFiles, leaveEqualOut } from "./EqualFiles.tsx";
import { type Edits, PreviewedRun, RunTable } from "./RunTable.tsx";
import { describeMetric, metricKeys } from "#trainer/spec/metric.ts";

type Props = {
  chosen: ChosenFiles;
  onFiles: (files: readonly PathFile[]) => void;
  onClose: () => void;
};

const fields = [
  { key: "name", label: "Name of the sweep", hint: "Default: the names of the files." },
  { key: "method", label: "Method", hint: "Default: from the name of each file or run." },
  {
    key: "environment",
    label: "Environment",
    hint: "Default: from the name of each file or run. Any name is allowed.",
  },
] as const;

export function ImportDialog({ chosen, onFiles, onClose }: Props) {
  const [names, setNames] = useState({ name: "", method: "", environment: "" });
  const [metrics, setMetrics] = useState<Record<string, string>>({});
  const [edits, setEdits] = useState<Edits>({});
  const [areEqualKept, setEqualKept] = useState<boolean>();
  const asked = { ...names, chosen: JSON.stringify(metrics), edits: JSON.stringify(edits) };
  const { preview, upload } = useImport(chosen.files, asked);
  const imported = upload.data;
  const found = imported ?? preview.data;
  // The file of a recorded study names its sweeps, methods and environments itself.
  const isStudy = chosen.files.length === 1 && chosen.files[0]?.path.toLowerCase().endsWith(".arlarena");
  const error = upload.error ?? (imported ? null : preview.error);
  return (
    <Dialog
      open
      title="Import finished runs"
      onClose={onClose}
      footer={
        <Buttons
          numFiles={chosen.files.length}
          isAsking={areEqualKept === undefined && (preview.data?.equal.length ?? 0) > 0}
          {...{ preview, upload }}
        />
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Reads logs of verl, TRL and other trainers, CSV and JSON lines, offline runs of W&amp;B (.wandb),
          MLflow&rsquo;s mlruns, TensorBoard event files, and a recorded study (.arlarena).
        </p>
        <FilePicker
          chosen={chosen}
          onFiles={(files) => {
            upload.reset();
            setEdits({});
            setEqualKept(undefined);
            onFiles(files);
          }}
        />
        {found && <Summary title={imported ? "Imported" : "Read"} found={found} />}
        {!imported && preview.data && (
          <FoundRuns found={preview.data} {...{ edits, areEqualKept }} onEdit={setEdits} onKeep={setEqualKept} />
        )}
        {!isStudy && <NameFields names={names} onNames={setNames} />}
        {!imported && preview.data && preview.data.columns.length > 0 && (
          <ColumnTable
            columns={preview.data.columns}
            chosen={metrics}
            onChoose={(name, metric) => setMetrics({ ...metrics, [name]: metric })}
          />
        )}
        {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      </div>
    </Dialog>
  );
}

type FoundProps = {
  found: z.infer<typeof Previewed>;
  edits: Edits;
  areEqualKept: boolean | undefined;
  onEdit: (edits: Edits) => void;
  onKeep: (areKept: boolean) => void;
};

/** The question about files of equal content, and the runs of the files. */
function FoundRuns({ found, edits, areEqualKept, onEdit, onKeep }: FoundProps) {
  const keep = (areKept: boolean) => {
    onKeep(areKept);
    onEdit(leaveEqualOut(edits, found, !areKept));
  };
  return (
    <>
      {found.equal.length > 0 && <EqualFiles equal={found.equal} areKept={areEqualKept} onKeep={keep} />}
      {found.runs.length > 0 && <RunTable runs={found.runs} edits={edits} onEdit={onEdit} />}
    </>
  );
}

type Names = Record<(typeof fields)[number]["key"], string>;

function NameFields({ names, onNames }: { names: Names; onNames: (names: Names) => void }) {
  return fields.map(({ key, label, hint }) => (
    <TextField
      key={key}
      label={label}
      hint={hint}
      value={names[key]}
      maxLength={100}
      onChange={({ target }) => onNames({ ...names, [key]: target.value })}
    />
  ));
}

/** Maximum size in bytes of files that are sent for a preview at once; larger files are sent on request. */
const maxReadAtOnceBytes = 20e6;

/** Sends chosen files for a preview, so that the user sees each column's metric before the import. */
function useImport(
  files: readonly PathFile[],
  names: Record<"name" | "method" | "environment" | "chosen" | "edits", string>,
) {
  const trpc = useTrpc();
  const numBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const preview = useQuery({
    queryKey: ["import preview", files.map(({ path, file }) => [path, file.size, file.lastModified])],
    // The preview shows the files as they are read, so that each change is compared with that.
    queryFn: () => sendFiles(files, { ...names, edits: "", preview: "yes" }, Previewed),
    enabled: files.length > 0 && numBytes <= maxReadAtOnceBytes,
    staleTime: Infinity,
    retry: false,
  });
  const upload = useAction(
    { mutationFn: () => sendFiles(files, names, Imported) },
    {
      stale: [trpc.sweep.list.queryFilter()],
      showsError: true,
      // No `onDone`: the dialog stays open, so that the user can read the notes and state the runs' method.
    },
  );
  return { preview, upload };
}

type ButtonsProps = { numFiles: number; isAsking: boolean } & ReturnType<typeof useImport>;

/** True while an import of this user waits behind another person's import. */
function useIsWaiting(isSending: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["import waiting"],
    queryFn: async () => Waiting.parse(await (await fetch("/api/import")).json()),
    enabled: isSending,
    refetchInterval: 1000,
    staleTime: 0,
  });
  return isSending && data?.isWaiting === true;
}

function Buttons({ numFiles, isAsking, preview, upload }: ButtonsProps) {
  const go = useGo();
  const isWaiting = useIsWaiting(preview.isFetching || upload.isPending);
  const imported = upload.data;
  if (imported) {
    return (
      <>
        <StateButton scope={{ sweepIds: [imported.sweepId] }} />
        <Button kind="primary" onClick={() => go(sweepPage(imported.sweepId))}>
          Open the sweep
        </Button>
      </>
    );
  }
  const action = numFiles === 0 ? "Import" : `Import ${formatCount(numFiles, "file")}`;
  return (
    <>
      {isWaiting && (
        <p role="status" className="self-center text-sm text-muted">
          Waiting behind another import
        </p>
      )}
      <Button disabled={numFiles === 0 || preview.isFetching} onClick={() => void preview.refetch()}>
        {preview.isFetching ? "Reading…" : preview.data ? "Preview again" : "Preview"}
      </Button>
      <ActionButton
        kind="primary"
        disabled={numFiles === 0 || upload.isPending || preview.isFetching || isAsking}
        title={isAsking ? "Say first if files of the same content are copies" : undefined}
        onClick={() => upload.mutate()}
      >
        {upload.isPending ? "Importing…" : action}
      </ActionButton>
    </>
  );
}

/** Result of reading or importing. Files left out are a warning; notes say how others were read and what was lost. */
function Summary({
  title,
  found: { numRuns, numCells, left, notes },
}: {
  title: string;
  found: z.infer<typeof Found>;
}) {
  const list = "mt-1 max-h-48 list-disc space-y-1 overflow-y-auto pl-4 text-sm break-words";
  return (
    <>
      <Notice tone={numRuns > 0 && notes.length === 0 ? "good" : "info"}>
        <p>
          {title}: {formatCount(numRuns, "run")}, {formatCount(numCells, "configuration")}
        </p>
        {notes.length > 0 && (
          <ul className={list}>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </Notice>
      {left.length > 0 && (
        <Notice tone="warn">
          <p>{formatCount(left.length, "file")} left out</p>
          <ul className={list}>
            {left.map(({ file, reason }) => (
              <li key={`${file} ${reason}`}>
                {file}: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

type ColumnTableProps = {
  columns: readonly Column[];
  chosen: Readonly<Record<string, string>>;
  onChoose: (name: string, metric: string) => void;
};

function ColumnTable({ columns, chosen, onChoose }: ColumnTableProps) {
  const numOther = columns.filter(
    ({ name, metric }) => (chosen[name] ?? metric ?? name) === name && metric !== name,
  ).length;
  return (
    <section aria-label="Metrics of the files" className="flex flex-col gap-1">
      <p className="text-sm">
        {formatCount(columns.length, "metric")}
        {numOther > 0 &&
          `, ${numOther} without a match. Choose the studio’s metric for each; the studio remembers your choice.`}
      </p>
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line text-sm">
        {columns.map(({ name, metric, isPercent }) => (
          <li key={`${name} ${metric}`} className="grid items-center gap-x-3 gap-y-1 px-2 py-1 sm:grid-cols-2">
            <span className="min-w-0 font-mono text-xs break-all">
              {name}
              {isPercent && <span className="text-muted"> (per cent, divided by 100)</span>}
            </span>
            <select
              aria-label={`${name} is`}
              className="w-full min-w-0 rounded border border-edge bg-surface px-1.5 py-1"
              value={chosen[name] ?? metric ?? name}
              onChange={({ target }) => onChoose(name, target.value)}
            >
              <option value={name}>Keep the name</option>
              {metricKeys
                .filter((key) => key !== name)
                .map((key) => (
                  <option key={key} value={key}>
                    {describeMetric(key).title} ({key})
                  </option>
                ))}
            </select>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Attribute that makes a file picker choose folders; React passes it on, but its types lack it. */
const folderOnly = { webkitdirectory: "" };

type FilePickerProps = { chosen: ChosenFiles; onFiles: (files: readonly PathFile[]) => void };

function FilePicker({ chosen: { files, skipped }, onFiles }: FilePickerProps) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const take = ({ target }: { target: HTMLInputElement }) => {
    onFiles([...(target.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    // Resets the picker, so that the same files or folder can be chosen again.
    target.value = "";
  };
  return (
    <div className="rounded-lg border-2 border-dashed border-edge p-4 text-center text-sm">
      <input ref={fileInput} type="file" multiple hidden aria-label="Files of finished runs" onChange={take} />
      <input
        ref={folderInput}
        type="file"
        {...folderOnly}
        hidden
        aria-label="Folder of finished runs"
        onChange={take}
      />
      <p className="mb-2 break-words">
        {files.length === 0 ? "Drop files or a folder here, or choose them" : nameSome(files.map(({ path }) => path))}
      </p>
      <div className="flex justify-center gap-2">
        <Button onClick={() => fileInput.current?.click()}>Choose files</Button>
        <Button onClick={() => folderInput.current?.click()}>Choose a folder</Button>
      </div>
      {skipped.length > 0 && (
        <p className="mt-2 text-xs break-words text-muted">
          {formatCount(skipped.length, "file")} of the folder not uploaded, because{" "}
          {skipped.length === 1 ? "its name is not that of a log" : "their names are not those of logs"}:{" "}
          {nameSome(skipped)}
        </p>
      )}
    </div>
  );
}

const LeftOut = z.object({ file: z.string(), reason: z.string() });
const Found = z.object({
  numRuns: z.number(),
  numCells: z.number(),
  left: z.array(LeftOut),
  notes: z.array(z.string()),
});
/** A column of the imported files, and the studio's metric to which it maps; null if the catalogue lacks the name. */
const Column = z.object({ name: z.string(), metric: z.string().nullable(), isPercent: z.boolean().optional() });
type Column = z.infer<typeof Column>;
const Previewed = Found.extend({ columns: z.array(Column), runs: z.array(PreviewedRun), equal: z.array(EqualFile) });
const Imported = Found.extend({ sweepId: z.string() });
const Waiting = z.object({ isWaiting: z.boolean() });
const Problem = z.object({ problem: z.string() });

/** Posts files to the import route. Throws an Error with the server's message if it refuses the files. */
async function sendFiles<Schema extends z.ZodType>(
  files: readonly PathFile[],
  fields: Readonly<Record<string, string>>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const form = new FormData();
  for (const { path, file } of files) form.append("files", file, path);
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  const response = await fetch("/api/import", { method: "POST", body: form });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = Problem.safeParse(body);
  if (problem.success) throw new Error(problem.data.problem);
  const answer = schema.safeParse(body);
  if (!answer.success) throw new Error(`The server answered with status ${response.status}`);
  return answer.data;
}
