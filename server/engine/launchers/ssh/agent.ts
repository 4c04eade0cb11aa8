import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExternalFile, ExternalJob } from "#packages/trainers";
import { makeLocalLauncher, trainerEnvironment } from "../local.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { readGpus, readMachine } from "../readMachine.ts";
import { type AgentAnswer, AgentRequest, answerMark, growingFiles, type Piece, type PolledJob } from "./protocol.ts";

/** Performs one request of the studio with the local launcher. The program then exits; its jobs continue. */
async function answer(request: AgentRequest): Promise<AgentAnswer> {
  const { runsFolder, leaseMs } = request;
  switch (request.do) {
    case "poll":
      return await poll(request);
    case "launch": {
      const { jobId, spec, evaluates, command, environment, setup } = request;
      const external = request.external && {
        command: request.external.command,
        resolve: resolverOf(request.external.file),
      };
      const options = { runsFolder, leaseMs, command, environment, setup, ...(external && { external }) };
      await makeLocalLauncher(options).launch({ jobId, spec, devices: [], ...(evaluates && { evaluates }) });
      return { did: "launch" };
    }
    case "cancel":
      await makeLocalLauncher({ runsFolder, leaseMs, command: [] }).cancel(request.jobId);
      return { did: "cancel" };
    case "look": {
      const environment = { ...trainerEnvironment(), ...request.environment };
      return { did: "look", machine: await readMachine({ command: request.command, environment }) };
    }
  }
}

function resolverOf(file: ExternalFile): () => ExternalJob {
  return () => {
    if ("problem" in file) throw new Error(file.problem);
    return file;
  };
}

async function poll(request: Extract<AgentRequest, { do: "poll" }>): Promise<AgentAnswer> {
  const launcher = makeLocalLauncher({ runsFolder: request.runsFolder, leaseMs: request.leaseMs, command: [] });
  const { states, contact } = await launcher.observe(request.jobs.map(({ jobId }) => ({ jobId, logOffset: 0 })));
  const jobs: PolledJob[] = [];
  let left = request.maxBytes;
  for (const { jobId, have } of request.jobs) {
    const pieces: Piece[] = [];
    // The job's files are read after its state, so that the files of an ended job have their final lengths.
    for (const name of growingFiles) {
      const piece = await readPiece(join(launcher.folderOf(jobId), name), { name, fromByte: have[name] ?? 0, left });
      if (piece === undefined) continue;
      left -= piece.base64.length;
      pieces.push(piece);
    }
    jobs.push({ jobId, state: states.get(jobId) ?? { state: "unknown", why: "not looked at" }, pieces });
  }
  const { disk, processor } = contact.isMade ? contact : {};
  return {
    did: "poll",
    jobs,
    ...(disk && { disk }),
    ...(processor && { processor }),
    ...(request.wantsGpus && { gpus: await readGpus() }),
  };
}

const maxPieceBytes = 1 << 20;

async function readPiece(
  path: string,
  { name, fromByte, left }: { name: string; fromByte: number; left: number },
): Promise<Piece | undefined> {
  const file = await open(path).catch(ignoreMissing);
  if (file === undefined) return undefined;
  try {
    const { size: sizeBytes } = await file.stat();
    const length = Math.max(0, Math.min(sizeBytes - fromByte, maxPieceBytes, left));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, fromByte);
    return { name, fromByte, sizeBytes, base64: buffer.subarray(0, bytesRead).toString("base64") };
  } finally {
    await file.close();
  }
}

async function readRequest(): Promise<AgentRequest> {
  return AgentRequest.parse(JSON.parse(await readFile("/dev/stdin", "utf8")));
}

const reply = await readRequest()
  .then(answer)
  .catch((error: unknown): AgentAnswer => ({
    did: "fail",
    why: error instanceof Error ? error.message : String(error),
  }));
process.stdout.write(`${answerMark}${JSON.stringify(reply)}\n`);
