import { spawnSync } from "node:child_process";

/** Operating-system account that runs PostgreSQL. `ids` is empty if it is the studio's own account. */
export type Account = { name: string; ids: { uid?: number; gid?: number } };

/** Chooses the account that runs PostgreSQL. PostgreSQL refuses to run as root, so root uses a service account. */
export function chooseAccount(): Account {
  if (process.getuid?.() !== 0) return { name: process.env["USER"] ?? "this user", ids: {} };
  for (const name of ["postgres", "_postgres", "nobody"]) {
    const uid = systemId("-u", name);
    const gid = systemId("-g", name);
    if (uid !== undefined && gid !== undefined) return { name, ids: { uid, gid } };
  }
  throw new Error(
    "PostgreSQL cannot run as root and there is no user postgres or nobody; create one or set DATABASE_URL",
  );
}

function systemId(flag: string, name: string): number | undefined {
  const { status, stdout } = spawnSync("id", [flag, name], { encoding: "utf8" });
  return status === 0 ? Number(stdout.trim()) : undefined;
}

/** True if the account can enter or execute the path. The system decides, so access lists and mounts count. */
export function canReach(account: Account, path: string): boolean {
  if (account.ids.uid === undefined) return true;
  return spawnSync("test", ["-x", path], { ...account.ids, cwd: "/" }).status === 0;
}
