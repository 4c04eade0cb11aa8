import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "#server/config/freePort.ts";
import { unpackPackages } from "#server/testing/unpackPackages.ts";

/** OpenSSH server for tests on this machine, with its own keys, for the user who runs the test. */
export type SshServer = {
  port: number;
  user: string;
  identityFile: string;
  hostKey: string;
  /** Kills the ssh server and all its connections with SIGKILL; jobs continue. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export function findSshd(): { path: string; libraries: string } | { missing: string } {
  for (const path of ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]) {
    if (existsSync(path)) return withAccount({ path, libraries: "" });
  }
  if (process.platform !== "linux") return { missing: "no sshd, and its package can be fetched on Debian only" };
  const folder = join(tmpdir(), `arlarena-openssh-server-${userInfo().uid}`);
  const found = { path: join(folder, "usr/sbin/sshd"), libraries: listLibraries(folder) };
  if (existsSync(found.path) && found.libraries !== "") return withAccount(found);
  try {
    unpackPackages(folder, ["openssh-server", "libwrap0"]);
  } catch (error) {
    return { missing: `no sshd, and Debian's package cannot be had: ${String(error).split("\n")[0] ?? ""}` };
  }
  return withAccount({ path: found.path, libraries: listLibraries(folder) });
}

function listLibraries(folder: string): string {
  const lib = join(folder, "usr/lib");
  return existsSync(lib)
    ? readdirSync(lib)
        .map((name) => join(lib, name))
        .join(":")
    : "";
}

// Adds the account to which sshd changes when it runs as root; an installed package would have created it.
function withAccount(found: {
  path: string;
  libraries: string;
}): { path: string; libraries: string } | { missing: string } {
  if (process.getuid?.() !== 0) return found;
  try {
    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    execFileSync(
      "sh",
      ["-c", "id sshd || useradd --system --no-create-home --home-dir /run/sshd --shell /usr/sbin/nologin sshd"],
      { stdio: "pipe" },
    );
    return found;
  } catch (error) {
    return { missing: `sshd runs as root only with an account called sshd: ${String(error).split("\n")[0] ?? ""}` };
  }
}

export async function makeSshServer(folder: string, sshd: { path: string; libraries: string }): Promise<SshServer> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const identityFile = join(folder, "user");
  for (const name of ["host", "user"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(folder, name)]);
  }
  const port = await findFreePort();
  await writeFile(join(folder, "authorized_keys"), await readFile(`${identityFile}.pub`, "utf8"), { mode: 0o600 });
  await writeFile(join(folder, "sshd_config"), configOf(folder, port));
  const [type = "", key = ""] = (await readFile(join(folder, "host.pub"), "utf8")).split(" ");
  let server: ChildProcess | undefined;
  const start = async () => {
    const env = { ...process.env, LD_LIBRARY_PATH: sshd.libraries };
    server = spawn(sshd.path, ["-D", "-e", "-f", join(folder, "sshd_config")], { env, stdio: "ignore" });
    for (let i = 0; i < 200 && !(await answers(port)); i++) await sleep(25);
  };
  const kill = async () => {
    const child = server;
    server = undefined;
    if (child?.pid === undefined || child.exitCode !== null) return;
    for (const pid of [child.pid, ...listSessions(child.pid)]) killQuietly(pid);
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  await start();
  return { port, user: userInfo().username, identityFile, hostKey: `${type} ${key}`, start, kill, close: kill };
}

const configOf = (folder: string, port: number) => `ListenAddress 127.0.0.1
Port ${port}
HostKey ${folder}/host
AuthorizedKeysFile ${folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
MaxStartups 50
`;

// Lists only sshd's server processes: a job may still be attached to the command that starts it.
function listSessions(pid: number): number[] {
  const children = readQuietly(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
  const servers = children.filter((child) => readQuietly(`/proc/${child}/comm`).startsWith("sshd"));
  return servers.flatMap((child) => [child, ...listSessions(child)]);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended by itself.
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
