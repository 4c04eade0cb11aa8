import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { HubError, Unreached } from "./request.ts";
import type { HubSettings } from "./settings.ts";

type Asked = { readonly name: string; readonly revision: string; readonly store: string };

/** Rewrites an error for the author of the specification, with a remedy. */
export function explain(error: unknown, asked: Asked, settings: HubSettings): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const text = error instanceof HubError ? refused(error, asked, settings) : (other(error, asked, settings) ?? reason);
  return new Error(`policy.pretrained: ${text}`, { cause: error });
}

function refused(
  { status, code, message }: HubError,
  { name, revision }: Asked,
  { endpoint, token }: HubSettings,
): string {
  const account = token ? "the account of this node's HF_TOKEN does not see it" : "this node has no HF_TOKEN";
  if (code === "GatedRepo" || status === 403) {
    return `${name} is gated: its owners give access at ${endpoint}/${name}; ${token ? "the account of this node's HF_TOKEN has none" : account} (${message})`;
  }
  if (code === "RevisionNotFound") return `${name} has no revision "${revision}" (${message})`;
  if (status === 401 || status === 404) {
    return `${endpoint} has no model "${name}", or not for everybody: ${account} (${message})`;
  }
  return `${endpoint} refuses ${name}: ${message}`;
}

function other(error: unknown, { name, revision, store }: Asked, { endpoint }: HubSettings): string | undefined {
  if (error instanceof Unreached) {
    return `${endpoint} cannot be asked from this node (${error.message}), and ${store} does not have ${name}@${revision} whole`;
  }
  if (isDiskFull(error)) return `no room is left in ${store} for ${name}`;
  return undefined;
}
