import type { Emitter } from "#trainer/run/keeping/emit.ts";
import { makeInterrupt } from "#trainer/run/keeping/interrupt.ts";
import type { RunContext } from "../prepare.ts";

export type Line = { iteration: number; optimizerStep: number; values: Readonly<Record<string, number>> };

/** Folder of compiled graphs, shared by all tests, so that each graph is optimised only once. */
const cacheFolder = process.env["ARLARENA_GRAPH_CACHE"];

/** Makes a run's inputs and outputs in memory for tests: `lines` collects its log, and nothing else is stored. */
export function makeRecorder(folder: string): { run: RunContext; lines: Line[]; notes: string[] } {
  const lines: Line[] = [];
  const notes: string[] = [];
  const log: Emitter = {
    emit: () => {},
    change: (iteration, text) => notes.push(`${iteration}: ${text}`),
    metrics: ({ iteration, optimizerStep }, values) => lines.push({ iteration, optimizerStep, values }),
    traces: () => {},
    note: (_, text) => notes.push(text),
    done: () => {},
    close: () => {},
  };
  const run: RunContext = {
    log,
    episodeFile: { write: () => {} },
    checkpoints: { save: () => {}, latest: () => ({ problems: [] }), at: () => undefined },
    interrupt: makeInterrupt(),
    sessionOptions: cacheFolder === undefined ? {} : { cacheFolder },
    folder,
    origin: { specHash: "0", code: "source", host: "here", pid: 1 },
  };
  return { run, lines, notes };
}
