import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findFreePort } from "#server/config/freePort.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `npm start` on a state folder until it has printed its link. `environment` is passed to all processes. */
export async function startStudio(
  home: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const args = ["server/start/start.mjs", "--home", home, "--port", String(await findFreePort())];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, DATABASE_URL: "", ...environment } });
  await new Promise<void>((resolve, reject) => {
    let output = "";
    const note = (text: string) => {
      output += text;
      if (output.includes("/sign-in?token=")) resolve();
    };
    child.stdout.setEncoding("utf8").on("data", note);
    child.stderr.setEncoding("utf8").on("data", note);
    child.once("exit", () => reject(new Error(`the studio ended: ${output}`)));
  });
  return child;
}

/** Stops the studio with SIGINT, as Ctrl-C does, and waits until it has ended. */
export async function stopStudio(studio: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => studio.once("exit", resolve));
  studio.kill("SIGINT");
  await ended;
}

/**
 * Sends SIGKILL to the supervisor and its child processes (web app, orchestrator, PostgreSQL). Returns the command
 * lines of the children.
 */
export async function killStudio(studio: ChildProcess): Promise<string[]> {
  const pid = studio.pid ?? 0;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  const commands = children.map((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").replaceAll("\0", " "));
  const ended = new Promise((resolve) => studio.once("exit", resolve));
  for (const child of [...children, pid]) process.kill(child, "SIGKILL");
  await ended;
  return commands;
}
