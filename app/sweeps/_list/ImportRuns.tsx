"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

const Found = z.object({ numRuns: z.number(), numCells: z.number(), notes: z.array(z.string()) });
const Made = Found.extend({ sweepId: z.string() });
const Problem = z.object({ problem: z.string() });

/** Finished runs of other trainers, chosen or dropped anywhere on the page, become a sweep. */
export function ImportRuns() {
  const [isOpen, setIsOpen] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  const isOver = useDropped((dropped) => {
    setFiles((before) => [...before, ...dropped]);
    setIsOpen(true);
  });
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        <Icon name="download" /> Import runs
      </Button>
      {isOver && (
        <div className="pointer-events-none fixed inset-2 z-50 grid place-items-center rounded-lg border-2 border-dashed border-accent bg-surface/90 text-lg font-medium">
          Drop logs of finished runs to import them
        </div>
      )}
      <ImportDialog
        open={isOpen}
        files={files}
        onFiles={setFiles}
        onClose={() => {
          setIsOpen(false);
          setFiles([]);
        }}
      />
    </>
  );
}

type Props = { open: boolean; files: readonly File[]; onFiles: (files: readonly File[]) => void; onClose: () => void };

function ImportDialog({ open, files, onFiles, onClose }: Props) {
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [options, setOptions] = useState({ name: "", method: "", environment: "" });
  const upload = useMutation({
    mutationFn: () => send(files, options, Made),
    // What should be known of how the files were read is read here first.
    onSuccess: ({ sweepId, notes }) => {
      if (notes.length === 0) router.push(`/sweeps/${sweepId}`);
    },
  });
  const preview = useMutation({ mutationFn: () => send(files, { ...options, preview: "yes" }, Found) });
  const made = upload.data;
  const found = made ?? preview.data;
  const fields = [
    { key: "name", label: "Name of the sweep", hint: "From the files' names otherwise." },
    { key: "method", label: "Method", hint: "Otherwise what each file or run is called." },
    { key: "environment", label: "Environment", hint: "sokoban, alfworld, webshop, … or any name." },
  ] as const;
  const asked = files.length === 0 ? "Import" : `Import ${formatCount(files.length, "file")}`;
  return (
    <Dialog
      open={open}
      title="Import finished runs"
      onClose={() => {
        upload.reset();
        preview.reset();
        onClose();
      }}
      footer={
        made ? (
          <Button kind="primary" onClick={() => router.push(`/sweeps/${made.sweepId}`)}>
            Open the sweep
          </Button>
        ) : (
          <>
            <Button disabled={files.length === 0 || preview.isPending} onClick={() => preview.mutate()}>
              {preview.isPending ? "Reading…" : "Show what is read"}
            </Button>
            <Button kind="primary" disabled={files.length === 0 || upload.isPending} onClick={() => upload.mutate()}>
              {upload.isPending ? "Importing…" : asked}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Logs of verl (console or JSON lines), TRL&rsquo;s trainer_state.json, charts and histories that W&amp;B or
          MLflow exported as CSV, offline runs of W&B (.wandb), TensorBoard event files, JSON lines of metrics.
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files of finished runs"
          onChange={({ target }) => {
            preview.reset();
            onFiles([...files, ...(target.files ?? [])]);
          }}
        />
        <button
          type="button"
          onClick={() => input.current?.click()}
          className="rounded-lg border-2 border-dashed border-edge p-4 text-center text-sm hover:border-accent"
        >
          {files.length === 0 ? "Drop files here, or choose them" : files.map(({ name }) => name).join(", ")}
        </button>
        {fields.map(({ key, label, hint }) => (
          <Field key={key} label={label} hint={hint}>
            {(wiring) => (
              <Input
                {...wiring}
                value={options[key]}
                maxLength={100}
                onChange={({ target }) => setOptions({ ...options, [key]: target.value })}
              />
            )}
          </Field>
        ))}
        {found && (
          <Notice tone={found.notes.length > 0 ? "warn" : "info"}>
            <p>
              {made ? "Imported: " : "Read: "}
              {formatCount(found.numRuns, "run")} of {formatCount(found.numCells, "configuration")}
            </p>
            <ul className="mt-1 max-h-48 list-disc space-y-1 overflow-y-auto pl-4 text-sm break-words">
              {found.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          </Notice>
        )}
        {(upload.error ?? preview.error) && <Notice tone="bad">{(upload.error ?? preview.error)?.message}</Notice>}
      </div>
    </Dialog>
  );
}

async function send<Schema extends z.ZodType>(
  files: readonly File[],
  fields: Record<string, string>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const form = new FormData();
  // A file of a chosen folder is named after it.
  for (const file of files) form.append("files", file, file.webkitRelativePath || file.name);
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  const response = await fetch("/api/import", { method: "POST", body: form });
  const body: unknown = await response.json().catch(() => undefined);
  const problem = Problem.safeParse(body);
  if (problem.success) throw new Error(problem.data.problem);
  const answer = schema.safeParse(body);
  if (!answer.success) throw new Error(`The server answered ${response.status}`);
  return answer.data;
}

/** Files dropped anywhere on the page; true while some hover over it. */
function useDropped(onDrop: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener("dragover", enter);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", enter);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
