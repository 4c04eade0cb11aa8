"use client";
import { useEffect, useState } from "react";
import type { Answers, Question } from "./study.worker.ts";

type Answer<Kind extends Question["kind"]> = {
  data?: Answers[Kind];
  /** The worker could not be started, or broke. */
  hasFailed: boolean;
};

/** What a worker says to a question, so that the page stays as quick as it is; no data while it works. The question is memoized. */
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
