import ipaddr from "ipaddr.js";
import { type Access, accesses, isAtLeast, type Role, type Scope } from "#server/domain/people/access.ts";

export type KnownPerson = { id: number; name: string; role: Role };

/**
 * Author of a request. A browser has a session and an origin; a program has a token with scopes. Sessions and tokens
 * belong to a person, or to the installation's owner (null), who can read the studio's terminal and may do everything.
 */
export type Caller =
  | { kind: "stranger"; /** Reason, if an invalid token was sent. */ reason?: string }
  | {
      kind: "session";
      /** True if the request comes from one of our own pages. */
      isSameOrigin: boolean;
      person: KnownPerson | null;
    }
  | {
      kind: "token";
      tokenHash: string;
      name: string;
      scopes: readonly Scope[];
      /** End of the token's validity; null: the token is valid until revoked. */
      expiresAt: Date | null;
      person: KnownPerson | null;
    };

export function nameCaller(caller: Caller): string {
  if (caller.kind === "token") return `token ${caller.name}${caller.person ? ` of ${caller.person.name}` : ""}`;
  return caller.kind === "session" && caller.person ? caller.person.name : "browser";
}

/** Returns the person behind a browser or a program; null for the installation's owner and for strangers. */
export function personOf(caller: Caller): KnownPerson | null {
  return caller.kind === "stranger" ? null : caller.person;
}

/** Returns the key under which queues count a caller's work; the owner and the installation's tokens share one. */
export function requesterOf(caller: Caller): string {
  const person = personOf(caller);
  return person ? `person ${person.id}` : caller.kind === "stranger" ? "stranger" : "owner";
}

/** True for the installation's owner: a session without a person, or a token with the scope `administer`. */
export function isHolder(caller: Caller): boolean {
  if (caller.kind === "stranger" || caller.person !== null) return false;
  return caller.kind === "session" || caller.scopes.includes("administer");
}

export function roleOf(caller: Exclude<Caller, { kind: "stranger" }>): Role {
  return caller.person?.role ?? "administrator";
}

export type Refusal = { status: 401 | 403; message: string };
export type Asked = {
  access: Access;
  /** True for a change, which a browser may request only from one of our pages. */
  isChange: boolean;
};

export function refuseCaller(caller: Caller, { access, isChange }: Asked): Refusal | undefined {
  if (caller.kind === "stranger") return { status: 401, message: caller.reason ?? "Sign in first" };
  const { role, scope } = accesses[access];
  if (caller.kind === "token" && !caller.scopes.includes(scope)) {
    const has = caller.scopes.join(", ");
    return { status: 403, message: `This token's scopes are ${has}; this request needs the scope ${scope}` };
  }
  if (!isAtLeast(roleOf(caller), role)) {
    const whose = caller.kind === "token" ? "This token's person is" : "You are";
    return {
      status: 403,
      message: `${whose} ${withArticle(roleOf(caller))} in this studio, but this request needs ${withArticle(role)}`,
    };
  }
  if (caller.kind === "token" || !isChange || caller.isSameOrigin) return undefined;
  return { status: 403, message: "This request does not come from a page of this studio" };
}

/** Returns the reason for each access that a caller lacks, for requests from our own pages; {} for strangers. */
export function listRefusals(caller: Caller): Partial<Record<Access, string>> {
  if (caller.kind === "stranger") return {};
  const doors = Object.keys(accesses).filter((name): name is Access => name in accesses);
  return Object.fromEntries(
    doors.flatMap((access) => {
      const refusal = refuseCaller(caller, { access, isChange: false });
      return refusal ? [[access, refusal.message]] : [];
    }),
  );
}

function withArticle(role: Role): string {
  return role === "viewer" ? "a viewer" : `an ${role}`;
}

type Limits = { most: number; everyMs: number; maxKeys: number };

type RateLimit = {
  /** Counts one try for a key. Returns 0 if the try is allowed, else the milliseconds until the next allowed try. */
  take(key: string, nowMs: number): number;
};

type Bucket = { tokens: number; atMs: number };

/** Token bucket per key: `most` tries at once, then one every `everyMs`. Beyond `maxKeys`, old keys are evicted. */
export function makeRateLimit({ most, everyMs, maxKeys }: Limits): RateLimit {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, nowMs) => {
      const { tokens, atMs } = buckets.get(key) ?? { tokens: most, atMs: nowMs };
      const refilled = Math.min(most, tokens + (nowMs - atMs) / everyMs);
      const isAllowed = refilled >= 1;
      // The key is inserted again, so that it moves to the end: a Map keeps insertion order.
      buckets.delete(key);
      buckets.set(key, { tokens: isAllowed ? refilled - 1 : refilled, atMs: nowMs });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxKeys) break;
        buckets.delete(oldest);
      }
      return isAllowed ? 0 : Math.ceil((1 - refilled) * everyMs);
    },
  };
}

const loopback = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Returns the caller's address for rate limits: the socket's, or behind a proxy here the last forwarded one. Of an IPv6
 * address only the network (64 bits) counts, because a caller controls all addresses in it.
 */
export function callerAddress(headers: Headers): string {
  const socket = headers.get("x-arlarena-address") ?? "";
  const forwarded = headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  const address = (loopback.test(socket) && forwarded) || socket;
  const parsed = ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
  if (parsed === undefined || parsed.isIPv4MappedAddress()) return address.slice(0, 60);
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return network.join(":");
}
