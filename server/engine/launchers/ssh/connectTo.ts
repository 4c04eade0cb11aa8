import { createHash } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { makeConnection, type Connection } from "./connection.ts";

/** Connection to a node, shared by all processes of this studio. */
export function connectTo(node: SshNode, home: string): Connection {
  return makeConnection(node, { controlPath: controlPath(home, node.name), knownHosts: pinnedKeys(home, node) });
}

// A socket's path is limited to about 100 bytes, and ssh appends 17 while it creates it.
function controlPath(home: string, name: string): string {
  const key = createHash("sha256").update(`${home}\0${name}`).digest("hex").slice(0, 16);
  const folder = join(tmpdir(), `arlarena-ssh-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) throw new Error(`${folder} is not ours alone`);
  return join(folder, key);
}

// Keys from the nodes file in ssh's format; without any, the named file or the user's own.
function pinnedKeys(home: string, node: SshNode): string | undefined {
  if (node.hostKeys.length === 0) return node.knownHosts;
  const folder = join(home, "ssh");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${node.name}.known_hosts`);
  writeFileSync(path, node.hostKeys.map((key) => `${node.name} ${key}\n`).join(""), { mode: 0o600 });
  return path;
}
