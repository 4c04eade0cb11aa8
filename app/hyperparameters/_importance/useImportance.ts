"use client";
import { useEffect, useRef, useState } from "react";
import type { ImportanceStudy } from "#server/domain/importance/study.ts";
import type { StudyColumn } from "../_study/prepareStudy.ts";
import type { ImportanceAnswer, ImportanceQuestion } from "./importance.worker.ts";

type Answer = { study?: ImportanceStudy; /** The worker could not be started, or broke. */ hasFailed: boolean };

/** What decides the outcome, by a worker: the page stays as quick as it is. Undefined while it is made. */
export function useImportance(columns: readonly StudyColumn[], outcome: StudyColumn): Answer {
  const [answer, setAnswer] = useState<Answer & { of?: object }>({ hasFailed: false });
  const numAsked = useRef(0);
  useEffect(() => {
    const worker = new Worker(new URL("./importance.worker.ts", import.meta.url), { type: "module" });
    const id = (numAsked.current += 1);
    worker.addEventListener("message", ({ data }: MessageEvent<ImportanceAnswer>) => {
      if (data.id === id) setAnswer({ study: data.study, hasFailed: false, of: outcome });
    });
    worker.addEventListener("error", () => setAnswer({ hasFailed: true, of: outcome }));
    worker.postMessage(
      {
        id,
        columns: columns.map(({ key, title, values }) => ({ key, title, values })),
        outcome: outcome.values.map((value) => (typeof value === "number" ? value : null)),
      } satisfies ImportanceQuestion,
      [],
    );
    return () => worker.terminate();
  }, [columns, outcome]);
  return answer.of === outcome ? answer : { hasFailed: false };
}
