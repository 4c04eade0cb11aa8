import type { Scope } from "#server/domain/scope.ts";

/** Who asks. A browser has a session and says where its request comes from; a program has a token with scopes. */
export type Caller =
  | { kind: "stranger"; /** Why, where a token was shown that is not valid. */ reason?: string }
  | { kind: "session"; /** The request comes from one of our own pages. */ isSameOrigin: boolean }
  | { kind: "token"; tokenHash: string; name: string; scopes: readonly Scope[] };

/** A caller in the log of changes. */
export function nameCaller(caller: Caller): string {
  return caller.kind === "token" ? `token ${caller.name}` : "browser";
}

export type Refusal = { status: 401 | 403; message: string };

/** Why a caller may not read or write; undefined where it may. */
export function refuseCaller(caller: Caller, needed: "read" | "write"): Refusal | undefined {
  if (caller.kind === "stranger") return { status: 401, message: caller.reason ?? "Sign in first" };
  if (caller.kind === "token") {
    if (caller.scopes.includes(needed)) return undefined;
    const has = caller.scopes.join(", ");
    return { status: 403, message: `This token's scopes are ${has}; this needs the scope ${needed}` };
  }
  if (needed === "read" || caller.isSameOrigin) return undefined;
  return { status: 403, message: "This request does not come from one of our own pages" };
}
