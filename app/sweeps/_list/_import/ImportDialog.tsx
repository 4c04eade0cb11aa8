"use client";
import { useQuery } from "@tanstack/react-query";
import { useGo } from "#app/_ui/useSelection.ts";
import { useState } from "react";
import type { z } from "zod";
import { formatCount } from "#app/_charts/format.ts";
import { StateButton } from "#app/_components/stating/StateButton.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import type { ChosenFiles, PathFile } from "./chosenFiles.ts";
import { FilePicker } from "./FilePicker.tsx";
import { ColumnTable } from "./ColumnTable.tsx";
import { Previewed, Imported, sendFiles, type Found } from "./sendFiles.ts";

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

/** Dialog for an import: files, names, and a preview. */
export function ImportDialog({ chosen, onFiles, onClose }: Props) {
  const [names, setNames] = useState({ name: "", method: "", environment: "" });
  const [metrics, setMetrics] = useState<Record<string, string>>({});
  const { preview, upload } = useImport(chosen.files, { ...names, chosen: JSON.stringify(metrics) });
  const imported = upload.data;
  const found = imported ?? preview.data;
  const error = upload.error ?? preview.error;
  return (
    <Dialog
      open
      title="Import finished runs"
      onClose={onClose}
      footer={<Buttons numFiles={chosen.files.length} preview={preview} upload={upload} />}
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Logs of verl (console or JSON lines), TRL&rsquo;s trainer_state.json, charts and histories that W&amp;B or
          MLflow exported as CSV, offline runs of W&B (.wandb), TensorBoard event files, JSON lines of metrics.
        </p>
        <FilePicker
          chosen={chosen}
          onFiles={(files) => {
            upload.reset();
            onFiles(files);
          }}
        />
        {fields.map(({ key, label, hint }) => (
          <Field key={key} label={label} hint={hint}>
            {(wiring) => (
              <Input
                {...wiring}
                value={names[key]}
                maxLength={100}
                onChange={({ target }) => setNames({ ...names, [key]: target.value })}
              />
            )}
          </Field>
        ))}
        {found && <Summary title={imported ? "Imported" : "Read"} found={found} />}
        {!imported && preview.data && (
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

/** Files of more bytes are sent for a preview only on request. */
const maxReadAtOnceBytes = 20e6;

/** Reads chosen files at once, so that each column and its metric are seen before the import. */
function useImport(files: readonly PathFile[], names: Record<"name" | "method" | "environment" | "chosen", string>) {
  const trpc = useTrpc();
  const numBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const preview = useQuery({
    queryKey: ["import preview", files.map(({ path, file }) => [path, file.size, file.lastModified])],
    queryFn: () => sendFiles(files, { ...names, preview: "yes" }, Previewed),
    enabled: files.length > 0 && numBytes <= maxReadAtOnceBytes,
    staleTime: Infinity,
    retry: false,
  });
  const upload = useAction(
    { mutationFn: () => sendFiles(files, names, Imported) },
    {
      stale: [trpc.sweep.list.queryFilter()],
      showsError: true,
      // The dialog stays open until the reader has read the notes; then the method of the runs can be stated.
    },
  );
  return { preview, upload };
}

type ButtonsProps = { numFiles: number } & ReturnType<typeof useImport>;

function Buttons({ numFiles, preview, upload }: ButtonsProps) {
  const go = useGo();
  const imported = upload.data;
  if (imported) {
    return (
      <>
        <StateButton scope={{ sweepIds: [imported.sweepId] }} />
        <Button kind="primary" onClick={() => go(`/sweeps/${imported.sweepId}`)}>
          Open the sweep
        </Button>
      </>
    );
  }
  const action = numFiles === 0 ? "Import" : `Import ${formatCount(numFiles, "file")}`;
  return (
    <>
      <Button disabled={numFiles === 0 || preview.isFetching} onClick={() => void preview.refetch()}>
        {preview.isFetching ? "Reading…" : preview.data ? "Preview again" : "Preview"}
      </Button>
      <ActionButton
        kind="primary"
        disabled={numFiles === 0 || upload.isPending || preview.isFetching}
        onClick={() => upload.mutate()}
      >
        {upload.isPending ? "Importing…" : action}
      </ActionButton>
    </>
  );
}

function Summary({ title, found }: { title: string; found: z.infer<typeof Found> }) {
  return (
    <Notice tone={found.notes.length > 0 ? "warn" : "info"}>
      <p>
        {title}: {formatCount(found.numRuns, "run")}, {formatCount(found.numCells, "configuration")}
      </p>
      <ul className="mt-1 max-h-48 list-disc space-y-1 overflow-y-auto pl-4 text-sm break-words">
        {found.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Notice>
  );
}
