import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Failures that the test server simulates when a file is requested. */
export type Trouble = {
  /** Sends only `bytes` bytes of a response and closes the connection, for the first `times` requests. */
  breakAfter?: { bytes: number; times: number };
  /** Sends only `bytes` bytes of a response and keeps the connection open, for the first `times` requests. */
  stallAfter?: { bytes: number; times: number };
  /** Number of requests to which the server responds with status 503. */
  busy?: number;
  /** Number of requests to which the server responds with wrong bytes. */
  wrong?: number;
  ignoresRanges?: boolean;
};

export type HubState = {
  name: string;
  branches: Record<string, string>;
  files: Record<string, Buffer>;
  trouble: Trouble;
  /** Access token that requests must carry, except requests to other hosts. */
  token?: string;
  isGated?: boolean;
};

/** `asked` has one line for every request: method, path, range. */
export type RunningHub = { endpoint: string; state: HubState; asked: string[]; close(): Promise<void> };

const isLarge = (path: string): boolean => path.endsWith(".safetensors");

/** Imitates the hub with one model: revisions, paged lists of files, and files, large ones on another host. */
export async function startHub(state: HubState): Promise<RunningHub> {
  const asked: string[] = [];
  const store = await listen((request, response) => {
    asked.push(`${request.method} store ${request.url} ${request.headers.range ?? ""}`.trim());
    if (request.headers.authorization !== undefined) return refuse(response, { status: 400, code: "TokenSentOn" });
    return sendFile(state, decodeURIComponent((request.url ?? "").slice(1)), { request, response });
  });
  const hub = await listen((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trim());
    return answer(state, store.address, { request, response });
  });
  return {
    endpoint: hub.address,
    state,
    asked,
    close: async () => {
      await hub.close();
      await store.close();
    },
  };
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

function answer(state: HubState, store: string, { request, response }: Exchange): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://hub");
  const { name, branches, files, token, isGated } = state;
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
    return refuse(response, isGated ? { status: 401, code: "GatedRepo" } : { status: 401, code: "RepoNotFound" });
  }
  const commits = new Set(Object.values(branches));
  const commitOf = (revision: string): string | undefined =>
    commits.has(revision) ? revision : branches[decodeURIComponent(revision)];
  const [, info] = new RegExp(`^/api/models/${name}/revision/([^/]+)$`).exec(pathname) ?? [];
  const [, tree] = new RegExp(`^/api/models/${name}/tree/([^/]+)$`).exec(pathname) ?? [];
  const [, revision, path] = new RegExp(`^/${name}/resolve/([^/]+)/(.+)$`).exec(pathname) ?? [];
  const asked = info ?? tree ?? revision;
  if (asked === undefined) return refuse(response, { status: 404, code: "RepoNotFound" });
  const commit = commitOf(asked);
  if (commit === undefined) return refuse(response, { status: 404, code: "RevisionNotFound" });
  if (path !== undefined) return resolveFile(state, { path, commit, store }, { request, response });
  if (info !== undefined) {
    const siblings = Object.keys(files).map((rfilename) => ({ rfilename }));
    return sendJson(response, {
      _id: "1",
      id: name,
      sha: commit,
      private: false,
      downloads: 0,
      gated: false,
      siblings,
    });
  }
  // Each page of the file list has two entries.
  const start = Number(searchParams.get("cursor") ?? 0);
  const entries = Object.entries(files).map(([file, content]) => describe(file, content));
  const directory = { type: "directory", path: "original", oid: "0".repeat(40), size: 0 };
  const page = [directory, ...entries].slice(start, start + 2);
  if (start + 2 <= entries.length) {
    const next = `http://${request.headers.host}${pathname}?recursive=true&cursor=${start + 2}`;
    response.setHeader("Link", `<${next}>; rel="next"`);
  }
  return sendJson(response, page);
}

function describe(path: string, content: Buffer): object {
  const pointer = Buffer.from(`pointer to ${path}`);
  const plain = { type: "file", path, size: content.length };
  if (!isLarge(path)) return { ...plain, oid: gitBlob(content) };
  return { ...plain, oid: gitBlob(pointer), lfs: { oid: sha256(content), size: content.length, pointerSize: 100 } };
}

function resolveFile(
  state: HubState,
  { path, commit, store }: { path: string; commit: string; store: string },
  { request, response }: Exchange,
): void {
  const content = state.files[path];
  if (content === undefined) return refuse(response, { status: 404, code: "EntryNotFound" });
  response.setHeader("X-Repo-Commit", commit);
  if (!isLarge(path)) {
    response.setHeader("ETag", `"${gitBlob(content)}"`);
    return sendFile(state, path, { request, response });
  }
  response.setHeader("X-Linked-Etag", `"${sha256(content)}"`);
  response.setHeader("X-Linked-Size", String(content.length));
  response.writeHead(302, { Location: `${store}/${encodeURIComponent(path)}` }).end();
  return undefined;
}

function sendFile({ files, trouble }: HubState, path: string, { request, response }: Exchange): void {
  const content = files[path] ?? Buffer.alloc(0);
  if (trouble.busy !== undefined && trouble.busy-- > 0) return refuse(response, { status: 503, code: "" });
  const [, from] = /^bytes=(\d+)-/.exec(trouble.ignoresRanges ? "" : (request.headers.range ?? "")) ?? [];
  const start = Number(from ?? 0);
  const isWrong = isLarge(path) && trouble.wrong !== undefined && trouble.wrong-- > 0;
  const sent = isWrong ? Buffer.from(content.subarray(start)).fill(1) : content.subarray(start);
  const range = from === undefined ? {} : { "Content-Range": `bytes ${start}-${content.length - 1}/${content.length}` };
  response.writeHead(from === undefined ? 200 : 206, { "Content-Length": sent.length, ...range });
  if (request.method === "HEAD") return void response.end();
  for (const [kind, limit] of [
    ["break", trouble.breakAfter],
    ["stall", trouble.stallAfter],
  ] as const) {
    if (!isLarge(path) || limit === undefined || limit.times-- <= 0) continue;
    response.write(sent.subarray(0, limit.bytes), () => {
      // The delay lets the client receive the bytes that were written before the connection closes.
      if (kind === "break") setTimeout(() => response.destroy(), 50);
    });
    return undefined;
  }
  response.end(sent);
  return undefined;
}

function refuse(response: ServerResponse, { status, code }: { status: number; code: string }): void {
  response.writeHead(status, { "X-Error-Code": code, "X-Error-Message": `${code} said the hub` }).end();
}

function sendJson(response: ServerResponse, content: unknown): void {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(content));
}

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${portOf(server)}`, close: () => closeAll(server) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens nowhere");
  return address.port;
}

function closeAll(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

export function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

export function gitBlob(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
