import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { choicePart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Choice } from "#app/_ui/Choice.tsx";

const files = [
  { value: "stdout", label: "Output" },
  { value: "stderr", label: "Errors" },
  { value: "events", label: "Event log" },
] as const;
type File = (typeof files)[number]["value"];

/** Without a choice, the output is shown, or the event log if the trainer printed nothing. */
const filePart = choicePart<File | "">("log", ["", ...files.map(({ value }) => value)], "");

/** Shows the end of an attempt's log, updated while the run is in progress; at first of the newest attempt. */
export function LogView({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const [chosen, setChosen] = useState<number>();
  const attempt = chosen ?? run.attempts[0]?.number;
  const [asked, setFile] = useAddress(filePart);
  const logOf = (file: File) =>
    trpc.run.log.queryOptions(
      { id: run.id, attempt: attempt ?? 0, file },
      { enabled: attempt !== undefined, refetchInterval: isOver(run.status) ? false : 2000, staleTime: 0 },
    );
  const { data: output } = useQuery(logOf("stdout"));
  const file = asked || (output?.text === "" ? "events" : "stdout");
  const { data, error, isPending } = useQuery(logOf(file));
  if (attempt === undefined) return <p className="text-muted">No attempt yet: the run waits for a slot.</p>;
  return (
    <section aria-label="Log">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Choice as="buttons" label="File" options={files} value={file} onChange={setFile} />
        {run.attempts.length > 1 && (
          <Choice
            label="Attempt"
            options={run.attempts.map(({ number }) => ({ value: String(number), label: `Attempt ${number}` }))}
            value={String(attempt)}
            onChange={(number) => setChosen(Number(number))}
          />
        )}
        {data && data.text !== "" && (
          <span className="text-sm text-muted">
            {data.skippedBytes > 0
              ? `last ${(data.sizeBytes - data.skippedBytes).toLocaleString("en-US")} of ${data.sizeBytes.toLocaleString("en-US")} bytes`
              : `${data.sizeBytes.toLocaleString("en-US")} bytes`}
          </span>
        )}
      </div>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {data === null && (
        <p className="text-muted">
          The file “{files.find(({ value }) => value === file)?.label}” of attempt {attempt} is not on the studio&apos;s
          server.
        </p>
      )}
      {data && (data.text === "" ? <p className="text-muted">This file is empty.</p> : <Tail text={data.text} />)}
      {isPending && <Skeleton className="h-96" />}
    </section>
  );
}

/** Shows the output scrolled to its end as new lines arrive, unless the reader has scrolled up. */
function Tail({ text }: { text: string }) {
  const frame = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (frame.current && isAtEnd.current) frame.current.scrollTop = frame.current.scrollHeight;
  });
  return (
    <pre
      ref={frame}
      tabIndex={0}
      aria-label="Log text"
      onScroll={({ currentTarget: box }) => {
        isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 24;
      }}
      className="max-h-[60dvh] overflow-auto rounded-lg border border-line bg-surface p-3 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
