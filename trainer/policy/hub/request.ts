import type { HubSettings } from "./settings.ts";

export class HubError extends Error {
  readonly status: number;
  /** The hub's own error code, such as `GatedRepo`; empty if it gives none. */
  readonly code: string;

  constructor({ status, code, message }: { status: number; code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A temporary failure: no response, a response cut off, or a request to retry later. */
export class Unreached extends Error {}

/** @param url of the hub or of a redirect target */
export type Ask = (url: string, init?: RequestInit) => Promise<Response>;

/** Timeout until a response begins. */
const usualAnswerMs = 20_000;

/** Makes requests to the hub with the node's account, through a proxy where the environment sets one. */
export function makeAsk({ endpoint, token, hasProxy }: HubSettings, answerMs = usualAnswerMs): Ask {
  const { origin } = new URL(endpoint);
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("user-agent", "arlarena-studio");
    // Where the hub redirects to another host, fetch drops this header.
    if (token && new URL(url).origin === origin) headers.set("authorization", `Bearer ${token}`);
    const response = await send(url, { ...init, headers }, { hasProxy, answerMs });
    if (response.ok) return response;
    const said = response.headers.get("x-error-message") ?? (await response.text().catch(() => "")).slice(0, 200);
    const message = `${response.status} ${said}`.trim();
    const isPassing = response.status === 408 || response.status === 429 || response.status >= 500;
    if (isPassing) throw new Unreached(`it answers ${message}`);
    throw new HubError({ status: response.status, code: response.headers.get("x-error-code") ?? "", message });
  };
}

async function send(
  url: string,
  init: RequestInit,
  { hasProxy, answerMs }: { hasProxy: boolean; answerMs: number },
): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`no answer in ${answerMs / 1000} s`)), answerMs);
  try {
    if (hasProxy) await goByProxy();
    return await fetch(url, { ...init, signal: controller.signal });
  } catch (error) {
    throw new Unreached(reasonOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

let proxying: Promise<void> | undefined;

/** Node's fetch ignores proxy variables of the environment before version 24. */
function goByProxy(): Promise<void> {
  proxying ??= import("undici").then(({ EnvHttpProxyAgent, setGlobalDispatcher }) =>
    setGlobalDispatcher(new EnvHttpProxyAgent()),
  );
  return proxying;
}

/** The reason of a failed fetch, from the error's cause: "fetch failed" alone is uninformative. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && error.message === "fetch failed" ? reasonOf(cause) : error.message;
}
