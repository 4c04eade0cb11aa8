"use client";
import { useEffect, useState } from "react";
import type { Answers, Question } from "./study.worker.ts";

type Answer<Kind extends Question["kind"]> = {
  data?: Answers[Kind];
  /** True if the worker could not be started or failed. */
  hasFailed: boolean;
};

/** Result of a question to the worker; undefined while it computes. The caller memoizes the question. */
export function useWorker<Kind extends Question["kind"]>(question: Extract<Question, { kind: Kind }>): Answer<Kind> {
  const [answer, setAnswer] = useState<Answer<Kind> & { to?: Question }>({ hasFailed: false });
  useEffect(() => {
    const worker = new Worker(new URL("./study.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answers[Kind]>) => {
      setAnswer({ data, hasFailed: false, to: question });
    });
    worker.addEventListener("error", () => setAnswer({ hasFailed: true, to: question }));
    worker.postMessage(question, []);
    return () => worker.terminate();
  }, [question]);
  return answer.to === question ? answer : { hasFailed: false };
}
