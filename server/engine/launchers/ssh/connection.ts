import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";
import { makeLimit } from "../pace.ts";

/** Result of a command on an ssh node: an exit code (255 is ssh's own) or a timeout. */
export type CommandResult =
  | { is: "done"; exitCode: number; stdout: Buffer; stderr: string }
  | { is: "late"; stderr: string };

export type Connection = {
  /** Runs a command line in the ssh node's shell. Its words must be quoted with `quote`. */
  run: (commandLine: string, options?: RunOptions) => Promise<CommandResult>;
  close: () => Promise<void>;
};

type RunOptions = {
  /** Standard input of the command: a text, or the output of a command that runs on this machine. */
  input?: string | { argv: readonly [string, ...string[]] };
  timeoutMs?: number;
};

type Paths = { controlPath: string; knownHosts: string | undefined };

/**
 * Returns the connection to an ssh node, which all commands and processes of this studio share. It never prompts,
 * trusts only pinned keys and forwards no agent.
 */
export function connectTo(node: SshNode, home: string): Connection {
  const options = sshOptions(node, { controlPath: controlPath(home, node.name), knownHosts: pinnedKeys(home, node) });
  const target = node.user === undefined ? node.host : `${node.user}@${node.host}`;
  const exit = async () => {
    await runLocal(["ssh", ...options, "-O", "exit", "--", target], { input: "", timeoutMs: 2000 });
  };
  const inTurn = makeLimit(maxSessions);
  return {
    run: (commandLine, { input = "", timeoutMs = 15_000 } = {}) =>
      inTurn(async () => {
        const result = await runLocal(["ssh", ...options, "--", target, commandLine], { input, timeoutMs });
        // A connection on which a command timed out could block later ones, so it is closed; the next reconnects.
        if (result.is === "late") await exit();
        return result;
      }),
    close: exit,
  };
}

// Concurrent commands per connection. An ssh server allows ten by default, and other processes need some.
const maxSessions = 6;

/** Returns the command-line options of every ssh call, which override the user's own ssh configuration. */
export function sshOptions(node: SshNode, { controlPath, knownHosts }: Paths): string[] {
  const settings: Record<string, string | number | undefined> = {
    BatchMode: "yes",
    StrictHostKeyChecking: "yes",
    UserKnownHostsFile: knownHosts,
    HostKeyAlias: node.hostKeys.length > 0 ? node.name : undefined,
    ForwardAgent: "no",
    ForwardX11: "no",
    ClearAllForwardings: "yes",
    PermitLocalCommand: "no",
    RequestTTY: "no",
    ConnectTimeout: 10,
    ServerAliveInterval: 5,
    ServerAliveCountMax: 3,
    ControlMaster: "auto",
    ControlPersist: 120,
    ControlPath: controlPath,
    Port: node.port,
    IdentityFile: node.identityFile,
    IdentitiesOnly: node.identityFile === undefined ? undefined : "yes",
  };
  return Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : ["-o", `${name}=${typeof value === "string" ? escapeOption(value) : value}`],
  );
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

// Quotes a path with spaces, because ssh separates the values of an option by spaces.
function escapeOption(value: string): string {
  return value.includes(" ") ? `"${value}"` : value;
}

function runLocal(
  [command, ...args]: readonly [string, ...string[]],
  { input, timeoutMs }: Required<RunOptions>,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    const source =
      typeof input === "string"
        ? undefined
        : spawn(input.argv[0], input.argv.slice(1), { stdio: ["ignore", "pipe", "ignore"] });
    const stdout: Buffer[] = [];
    let stderr = "";
    let isLate = false;
    child.stdout.on("data", (bytes: Buffer) => stdout.push(bytes));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4000)));
    // A process that exits before it reads its input reports the problem by its exit code.
    child.stdin.on("error", () => undefined);
    if (source === undefined) child.stdin.end(input);
    else source.stdout.pipe(child.stdin);
    const timer = setTimeout(() => {
      isLate = true;
      source?.kill("SIGKILL");
      child.kill("SIGKILL");
    }, timeoutMs);
    const finish = (exitCode: number) => {
      clearTimeout(timer);
      resolve(isLate ? { is: "late", stderr } : { is: "done", exitCode, stdout: Buffer.concat(stdout), stderr });
    };
    source?.on("error", (error) => {
      stderr += error.message;
      child.kill("SIGKILL");
    });
    child.once("error", (error) => {
      stderr += error.message;
      finish(255);
    });
    child.once("close", (code) => finish(code ?? 255));
  });
}

// Returns the shared connection's socket: a short hash, since paths are limited to 100 bytes, 17 of them for ssh.
function controlPath(home: string, name: string): string {
  const key = createHash("sha256").update(`${home}\0${name}`).digest("hex").slice(0, 16);
  const folder = join(tmpdir(), `arlarena-ssh-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) throw new Error(`${folder} is not ours alone`);
  return join(folder, key);
}

// Returns a known-hosts file with the pinned keys; without any, the configured file or the user's own is used.
function pinnedKeys(home: string, node: SshNode): string | undefined {
  if (node.hostKeys.length === 0) return node.knownHosts;
  const folder = join(home, "ssh");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${node.name}.known_hosts`);
  writeFileSync(path, node.hostKeys.map((key) => `${node.name} ${key}\n`).join(""), { mode: 0o600 });
  return path;
}
