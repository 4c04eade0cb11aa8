"use client";
import type { inferRouterOutputs } from "@trpc/server";
import { useEffect, useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import { useTrpcClient } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { ReportHtml } from "#app/_components/ReportHtml.tsx";

type Shown = inferRouterOutputs<AppRouter>["report"]["preview"];
type Props = { body: string; isFrozen: boolean; onLine: (line: number) => void };

const pauseMs = 600;

/** Preview of the text after each pause in typing, with its errors by line. */
export function Preview({ body, isFrozen, onLine }: Props) {
  const client = useTrpcClient();
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stopping = new AbortController();
    const render = async () => {
      try {
        setShown(await client.report.preview.mutate({ body }, { signal: stopping.signal }));
        setProblem(undefined);
      } catch (error) {
        if (!stopping.signal.aborted) setProblem(errorWords(error));
      }
    };
    const timer = setTimeout(() => void render(), pauseMs);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [body, client]);
  return (
    <section aria-label="Preview" className="min-w-0">
      <h2 className="mb-2 font-semibold">Preview</h2>
      {isFrozen && <Notice tone="warn">The preview is live; the report itself shows frozen figures.</Notice>}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {shown && shown.problems.length > 0 && (
        <ul aria-label="Problems" className="mb-3 space-y-1 text-sm text-bad">
          {shown.problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              <button type="button" className="underline" onClick={() => onLine(line)}>
                Line {line}
              </button>
              : {message}
            </li>
          ))}
        </ul>
      )}
      {shown ? <ReportHtml html={shown.html} /> : <p className="text-muted">Loading…</p>}
    </section>
  );
}
