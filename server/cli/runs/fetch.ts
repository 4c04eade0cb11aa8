import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/storage/client.ts";
import { AppError, formatBytes, formatCount } from "#packages/base";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { Outcome, Performer, Screen } from "../command.ts";

export function addFetch(program: Command, { performInStudio }: Performer): void {
  program
    .command("fetch")
    .description("download the model of a finished run from its ssh node, where large files stay until requested")
    .argument("<RUN>")
    .action((run) =>
      performInStudio(async ({ database, home }, screen) => {
        const { readNodes } = await import("#server/config/nodes.ts");
        return await fetchRun({ database, home, nodes: readNodes(home) }, run, screen);
      }),
    );
}

type Studio = { database: Database; home: string; nodes: readonly Node[] };

export async function fetchRun({ database, home, nodes }: Studio, runId: string, screen: Screen): Promise<Outcome> {
  const { readAttemptFolders, readRun } = await import("#server/db/runs/runs.ts");
  const { status, attempts } = await readRun(database, runId);
  const [attempt] = attempts;
  if (!attempt || !isOver(status)) throw new AppError("conflict", `run ${runId} is ${status}: it has no model yet`);
  const folder =
    (await readAttemptFolders(database, runId)).find(({ number }) => number === attempt.number)?.folder ?? "";
  const node = nodes.find(({ name }) => name === attempt.node);
  if (!node)
    throw new AppError("not_found", `run ${runId} ran on node ${attempt.node}, which nodes.yaml no longer lists`);
  if (node.kind !== "ssh")
    throw new AppError("conflict", `run ${runId} ran on ${node.name}: ${elsewhere(node.kind, folder)}`);
  const [{ fetchModel }, { toJobId }] = await Promise.all([
    import("#server/engine/launchers/ssh/fetchModel.ts"),
    import("#server/engine/launchers/launcher.ts"),
  ]);
  const tell = makeTeller(screen);
  const files = await fetchModel({ node, home, jobId: toJobId(runId, attempt.number), folder, tell });
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const text =
    files.length === 0
      ? `${node.name} has no model files that are missing in ${folder}`
      : `${formatCount(files.length, "file")} of ${formatBytes(bytes)} from ${node.name} in ${folder}`;
  return { text, json: { run: runId, folder, bytes, files: files.map(({ name }) => name) }, exitCode: 0 };
}

function elsewhere(kind: "local" | "slurm" | "ray", folder: string): string {
  if (kind !== "ray") return `its files are already in ${folder}`;
  return (
    "Ray's Jobs API offers a job's log but no files, so model files of 64 MB and more stay on the cluster's machine, in the node's folder in nodes.yaml. They are kept there if the cluster's machines share that folder. " +
    `Copy them from there into ${folder} by hand`
  );
}

/** Returns a function that reports the progress of a download with one line per tenth of a file. */
function makeTeller({ write }: Screen) {
  let lastLine = "";
  return ({ name, doneBytes, sizeBytes }: { name: string; doneBytes: number; sizeBytes: number }): void => {
    const line = `${name}: ${Math.floor((10 * doneBytes) / sizeBytes) * 10} % of ${formatBytes(sizeBytes)}\n`;
    if (line !== lastLine) write(line);
    lastLine = line;
  };
}
