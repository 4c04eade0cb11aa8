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

const Answer = z.union([z.object({ sweepId: z.string() }), z.object({ problem: z.string() })]);

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
  const [wishes, setWishes] = useState({ name: "", method: "", environment: "" });
  const upload = useMutation({
    mutationFn: () => send(files, wishes),
    onSuccess: ({ sweepId }) => router.push(`/sweeps/${sweepId}`),
  });
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
        onClose();
      }}
      footer={
        <Button
          kind="primary"
          disabled={files.length === 0 || upload.isPending || upload.isSuccess}
          onClick={() => upload.mutate()}
        >
          {upload.isPending ? "Importing…" : asked}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-muted">
          Logs of verl (console or JSON lines), TRL&rsquo;s trainer_state.json, charts and histories that W&amp;B or
          MLflow exported as CSV, TensorBoard event files, JSON lines of metrics.
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files of finished runs"
          onChange={({ target }) => onFiles([...files, ...(target.files ?? [])])}
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
                value={wishes[key]}
                maxLength={100}
                onChange={({ target }) => setWishes({ ...wishes, [key]: target.value })}
              />
            )}
          </Field>
        ))}
        {upload.error && <Notice tone="bad">{upload.error.message}</Notice>}
      </div>
    </Dialog>
  );
}

async function send(files: readonly File[], wishes: Record<string, string>): Promise<{ sweepId: string }> {
  const form = new FormData();
  for (const file of files) form.append("files", file);
  for (const [key, value] of Object.entries(wishes)) form.append(key, value);
  const response = await fetch("/api/import", { method: "POST", body: form });
  const body = Answer.safeParse(await response.json().catch(() => undefined));
  if (!body.success) throw new Error(`The server answered ${response.status}`);
  if ("problem" in body.data) throw new Error(body.data.problem);
  return body.data;
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
