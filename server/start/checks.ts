import { existsSync } from "node:fs";
import { chmod, mkdir, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { AppError } from "#packages/base";
import { sayStart } from "#server/config/startCommand.ts";
import { confirm } from "#server/cli/confirm.ts";
import { endProcess } from "#server/db/embedded/postmaster.ts";
import { findLeftover } from "./leftover.ts";

/** Minimum free bytes: the first start creates a database; later starts need space to report a full disk. */
const minFreeBytes = { first: 300e6, again: 24e6 };

/** Creates the state folder for its owner alone: it contains secrets and logs. Throws if the disk is almost full. */
export async function checkRoom(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(home, 0o700);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("unavailable", `the state folder ${home} cannot be created with private access: ${why}`, {
      cause,
    });
  }
  const { bavail, bsize } = await statfs(home);
  const needed = minFreeBytes[existsSync(join(home, "database.json")) ? "again" : "first"];
  if (bavail * bsize >= needed) return;
  const free = `${Math.round((bavail * bsize) / 1e6)} MB`;
  throw new AppError("unavailable", `the disk is full: ${free} left for ${home}, at least ${needed / 1e6} MB needed`);
}

type Place = { home: string; host: string; port: number };

/** Throws if the port cannot be used. A leftover of this studio is named, and ended if the user agrees. */
export async function checkPort({ home, host, port }: Place): Promise<void> {
  const error = await tryPort(host, port);
  if (error === undefined) return;
  const leftover = error.code === "EADDRINUSE" ? await findLeftover(home, port) : undefined;
  if (leftover === undefined) throw new AppError("unavailable", portProblem(error, host, port), { cause: error });
  const what = `port ${port} on ${host} is held by process ${leftover}, the web app of an earlier start of this studio`;
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (!canAsk || !(await confirm(`${what}. End it?`)))
    throw new AppError("unavailable", `${what}; end it with kill -9 ${leftover} and start again`, { cause: error });
  await endProcess(leftover);
  await checkPort({ home, host, port });
}

async function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function portProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  const another = `choose another with ${sayStart(`--port ${port + 1 > 65_535 ? 7331 : port + 1}`)}`;
  if (code === "EADDRINUSE") return `port ${port} on ${host} is taken by another program; ${another}`;
  if (code === "EACCES") return `port ${port} on ${host} needs administrator rights; ${another}`;
  if (code === "EADDRNOTAVAIL") return `this machine has no address ${host}; choose another with --host`;
  return `cannot listen on ${host}:${port}: ${message}`;
}
