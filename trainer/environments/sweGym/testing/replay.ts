import { z } from "zod";
import { makeReplayLog, type ReplayReport } from "../../testing/replayLog.ts";
import { runEditor } from "../editor.ts";
import { parseEditorArguments } from "../editorArguments.ts";
import { root, type Files, type Workspace } from "../workspace.ts";

const Call = z.object({ args: z.array(z.string()), stdout: z.string(), rc: z.int() });
type Call = z.infer<typeof Call>;

/** Editor settings that reproduce the recording, whose editor kept no history. */
const recording = { workingDirectory: "/repo", keepsHistory: false };

/** Replays recorded calls of SWE-agent's editor. The initial files are reconstructed from its first outputs. */
export function replaySweGym(records: readonly unknown[]): ReplayReport {
  const calls = z.array(Call).parse(records.length === 1 && Array.isArray(records[0]) ? records[0] : records);
  const log = makeReplayLog();
  let workspace: Workspace = { files: readFiles(calls), history: {} };
  for (const [i, { args, stdout, rc }] of calls.entries()) {
    const call = parseEditorArguments(args);
    const answer = call && runEditor(workspace, call, recording);
    const check = log.at(`call ${i + 1} (${args.join(" ")})`);
    check("text", stdout, answer && `${answer.text}\n`);
    check("exit status", rc, answer?.exitCode);
    workspace = answer?.workspace ?? workspace;
  }
  return log.report();
}

/** Reconstructs the initial files from the first listing and from files viewed in full before the first change. */
function readFiles(calls: readonly Call[]): Files {
  const firstEdit = calls.findIndex(({ args, rc }) => rc === 0 && args[0] !== "view");
  const views = calls
    .slice(0, firstEdit)
    .filter(({ args, rc }) => rc === 0 && args.length === 2)
    .map(({ args, stdout }) => ({ path: args[1] ?? "", lines: stdout.split("\n").slice(1, -2) }));
  const listing = views.find(({ path }) => path === root)?.lines ?? [];
  const paths = listing.filter((path) => path !== "" && !listing.some((other) => other.startsWith(`${path}/`)));
  const textOf = (path: string): string => {
    const lines = views.find((view) => view.path === path)?.lines ?? [];
    return lines.map((line) => line.slice(line.indexOf("\t") + 1)).join("\n");
  };
  return Object.fromEntries(paths.map((path) => [path, textOf(path)]));
}
