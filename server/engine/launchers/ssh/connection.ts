import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SshNode } from "#server/domain/fleet/nodes/node.ts";

/** Result of a command on an ssh node: an exit code (255 is ssh's own) or a timeout. */
export type CommandResult =
  | { is: "done"; exitCode: number; stdout: Buffer; stderr: string }
  | { is: "late"; stderr: string };

export type Connection = {
  /** Runs a command line in the ssh node's shell. Its words must be quoted with `quote`. */
  run: (commandLine: string, options?: RunOptions) => Promise<CommandResult>;
  /** Closes the shared connection, if there is one. */
  close: () => Promise<void>;
};

type RunOptions = {
  /** Standard input of the command: a text, or the output of a command that runs on this machine. */
  input?: string | { argv: readonly [string, ...string[]] };
  timeoutMs?: number;
};

type Paths = { controlPath: string; knownHosts: string | undefined };

/**
 * Returns a connection to an ssh node that all commands share. It never prompts, trusts only pinned host keys and
 * forwards no ssh agent.
 */
export function makeConnection(node: SshNode, paths: Paths): Connection {
  const options = sshOptions(node, paths);
  const target = node.user === undefined ? node.host : `${node.user}@${node.host}`;
  const exit = async () => {
    await runLocal(["ssh", ...options, "-O", "exit", "--", target], { input: "", timeoutMs: 2000 });
  };
  const inTurn = makeLimit(maxSessions);
  return {
    run: (commandLine, { input = "", timeoutMs = 15_000 } = {}) =>
      inTurn(async () => {
        const result = await runLocal(["ssh", ...options, "--", target, commandLine], { input, timeoutMs });
        // A connection on which a command timed out could block later commands, so it is closed; the next command
        // reconnects.
        if (result.is === "late") await exit();
        return result;
      }),
    close: exit,
  };
}

// Maximum number of concurrent commands per connection. An ssh server allows ten by default, and other processes need
// some.
const maxSessions = 6;

/** Returns a function that runs at most `most` calls concurrently; further calls wait in order. */
function makeLimit(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let numBusy = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (numBusy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else numBusy += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else numBusy -= 1;
    }
  };
}

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

/** Quotes a text as one word for the node's shell. */
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
    // Errors of writing are ignored: if the process exits before it reads its input, its exit code reports the
    // problem.
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

/** Returns the connection to an ssh node, which all processes of this studio share. */
export function connectTo(node: SshNode, home: string): Connection {
  return makeConnection(node, { controlPath: controlPath(home, node.name), knownHosts: pinnedKeys(home, node) });
}

// Returns the path of the shared ssh connection's Unix socket. It is a short hash, because such paths are limited to
// about 100 bytes, of which ssh needs 17 while it creates the socket.
function controlPath(home: string, name: string): string {
  const key = createHash("sha256").update(`${home}\0${name}`).digest("hex").slice(0, 16);
  const folder = join(tmpdir(), `arlarena-ssh-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) throw new Error(`${folder} is not ours alone`);
  return join(folder, key);
}

// Returns the path of a known-hosts file with the node's pinned host keys. Without pinned keys, the file named in the
// configuration or the user's own file is used.
function pinnedKeys(home: string, node: SshNode): string | undefined {
  if (node.hostKeys.length === 0) return node.knownHosts;
  const folder = join(home, "ssh");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${node.name}.known_hosts`);
  writeFileSync(path, node.hostKeys.map((key) => `${node.name} ${key}\n`).join(""), { mode: 0o600 });
  return path;
}
