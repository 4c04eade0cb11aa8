import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sessionCookie, signSession } from "#server/config/session.ts";
import type { Database } from "#server/db/storage/client.ts";
import { createSession } from "#server/db/people/sessions.ts";
import { secret } from "./services.ts";

export const origin = "http://localhost:4000";

/** Returns the cookie header of a new session of a person; null: the installation's owner, who has no name. */
export async function startSession(database: Database, personId: number | null): Promise<string> {
  const issuedMs = Date.now();
  const id = await createSession(database, personId, new Date(issuedMs));
  return `${sessionCookie}=${signSession(secret, { id, issuedMs })}`;
}

/** Returns a request that posts a form as from one of the studio's own pages. */
export function postForm(path: string, { headers = {}, form = "" }: PostedForm = {}): Request {
  const sent = {
    host: "localhost:4000",
    origin,
    "content-type": "application/x-www-form-urlencoded",
    ...headers,
  };
  const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
  return new Request(origin + path, { method: "POST", headers: sent, body });
}

type PostedForm = { headers?: Record<string, string>; form?: string | Record<string, string> };

/** Paths of all files of the web app, relative to its folder. */
export const appFiles = readdirSync("app", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .toSorted();

export type Handler = (request: Request, props: object) => Promise<unknown>;

/** Returns the HTTP methods that a route file answers, with their handlers: `["GET", handler]`. */
export async function handlersOf(file: string): Promise<[method: string, handler: Handler][]> {
  const handlers = (await import(join(process.cwd(), "app", file))) as Record<string, unknown>;
  const isHandler = (handler: unknown): handler is Handler => typeof handler === "function";
  return ["GET", "POST", "PUT", "PATCH", "DELETE"].flatMap((method) => {
    const handler = handlers[method];
    return isHandler(handler) ? [[method, handler] satisfies [string, Handler]] : [];
  });
}
