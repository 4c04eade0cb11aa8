import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Returns the id of this state folder's web process that listens on a port. Undefined without /proc (Linux). */
export async function findLeftover(home: string, port: number): Promise<number | undefined> {
  const sockets = await listSockets(port);
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    // Only the web process has the second variable. Others may inherit the first from a user's shell.
    const variables = (await readFile(join("/proc", pid, "environ"), "utf8").catch(() => "")).split("\0");
    if (!variables.includes(`ARLARENA_HOME=${home}`)) continue;
    if (!variables.some((one) => one.startsWith("ARLARENA_BUILD_FOLDER="))) continue;
    const open = join("/proc", pid, "fd");
    for (const name of await readdir(open).catch(() => [])) {
      if (sockets.has(await readlink(join(open, name)).catch(() => ""))) return Number(pid);
    }
  }
  return undefined;
}

// In /proc/net/tcp, field 2 is the local address with the port in hexadecimal, field 4 the state (0A: listening), and
// field 10 the socket's number.
async function listSockets(port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const listening = rows.filter((fields) => fields[1]?.endsWith(suffix) === true && fields[3] === "0A");
  return new Set(listening.map((fields) => `socket:[${fields[9]}]`));
}
