import { tryJson } from "#trainer/spec/tryJson.ts";
import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError } from "#packages/base";
import { hasCode } from "#server/config/fileErrors.ts";
import { identifyProcess, isAlive, ProcessIdentity } from "#server/engine/launchers/processIdentity.ts";

/** Claims a state folder until the process ends. Throws while another living process has claimed it. */
export async function claimHome(home: string): Promise<() => Promise<void>> {
  const path = join(home, "start.json");
  // The folder's path is part of the claim, because a copy of a running studio's folder is claimed by nobody.
  const folder = await realpath(home);
  const own = JSON.stringify({ ...(await identifyProcess(process.pid)), home: folder });
  while (!(await writeFresh(path, own))) {
    const text = await readWhole(path);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder !== undefined && (holder.home ?? folder) === folder && (await isAlive(holder))) {
      throw new AppError(
        "conflict",
        `a studio with the state folder ${home} is already starting (process ${holder.pid})`,
      );
    }
    await removeDead(path, text);
  }
  return () => rm(path, { force: true });
}

export async function writeFresh(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Reads a claim, waiting up to a second while its writer fills an empty file. Undefined without the file. */
async function readWhole(path: string): Promise<string | undefined> {
  for (let i = 0; i < 20; i++) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== "") return text;
    await sleep(50);
  }
  return "";
}

const Holder = ProcessIdentity.extend({ home: z.string().optional() });

function parseHolder(text: string): z.infer<typeof Holder> | undefined {
  return Holder.safeParse(tryJson(text)).data;
}

/** Removes a dead process's claim. A live process's file, taken by mistake after another removal, is restored. */
async function removeDead(path: string, text: string): Promise<void> {
  const taken = `${path}.${process.pid}`;
  await rename(path, taken).catch(() => undefined);
  const found = await readFile(taken, "utf8").catch(() => text);
  if (found === text) await rm(taken, { force: true });
  else await rename(taken, path);
}
