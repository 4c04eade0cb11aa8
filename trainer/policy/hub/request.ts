import type { HubSettings } from "./settings.ts";

export class HubError extends Error {
  readonly status: number;
  /** Error code of the Hugging Face hub, such as `GatedRepo`; empty if the response contains none. */
  readonly code: string;

  constructor({ status, code, message }: { status: number; code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Temporary failure of a request: no response, an incomplete response, or a response that asks to retry later. */
export class Unreached extends Error {}

/** Sends a request to the Hugging Face hub, or to a host to which it redirects. */
export type Ask = (url: string, init?: RequestInit) => Promise<Response>;

/** Time limit in ms for a response to begin. */
const usualAnswerMs = 20_000;

/** Sends requests to the hub with the machine's token, through a proxy if the environment sets one. */
export function makeAsk({ endpoint, token, hasProxy }: HubSettings, answerMs = usualAnswerMs): Ask {
  const { origin } = new URL(endpoint);
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("user-agent", "arlarena-studio");
    // `fetch` drops this header if the hub redirects to a different host.
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

/** Makes `fetch` use the proxy in the environment variables, which Node ignores before version 24. */
function goByProxy(): Promise<void> {
  proxying ??= import("undici").then(({ EnvHttpProxyAgent, setGlobalDispatcher }) =>
    setGlobalDispatcher(new EnvHttpProxyAgent()),
  );
  return proxying;
}

/** Returns the reason of a failed fetch from the error's cause, because the message "fetch failed" says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && error.message === "fetch failed" ? reasonOf(cause) : error.message;
}
