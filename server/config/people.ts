import { statSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { Role } from "#server/domain/people/access.ts";
import { AppError } from "#packages/base";
import { readYamlFile } from "./yamlFile.ts";

/** Schema of an IP address, or of a network such as `10.0.0.0/8`. */
const Network = z.string().refine(
  (text) => {
    const [address = "", prefix, ...more] = text.split("/");
    const version = isIP(address);
    if (version === 0 || more.length > 0) return false;
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
  },
  { error: ({ input }) => `${JSON.stringify(input)} is neither an address nor a network such as 10.0.0.0/8` },
);

const PeopleFile = z.strictObject({
  /** Reverse proxy in front of the studio that authenticates users, such as oauth2-proxy. */
  proxy: z.strictObject({
    header: z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, "is not a valid header name"),
    from: z.array(Network).min(1, "is empty: the header is trusted only from the addresses listed here"),
    role: Role.default("viewer"),
    roles: z.record(z.string(), Role).default({}),
    /** Path on the proxy's own host at which users sign out. */
    signOut: z
      .string()
      .regex(/^\/(?!\/)[\x21-\x7e]*$/, "must be a path such as /oauth2/sign_out")
      .optional(),
  }),
});
export type Proxy = z.infer<typeof PeopleFile>["proxy"];

type Read = { path: string; mtimeMs: number; proxy: Proxy | undefined };
let last: Read | undefined;

/** Reads the proxy's settings from `people.yaml` or variables, if any. Throws if one is invalid or both are set. */
export function readProxy(home: string, environment: NodeJS.ProcessEnv = process.env): Proxy | undefined {
  const path = join(home, "people.yaml");
  // `readProxy` is called at every request, so the file is read again only after it has changed.
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (last?.path !== path || last.mtimeMs !== mtimeMs) {
    last = { path, mtimeMs, proxy: readYamlFile(path, PeopleFile)?.proxy };
  }
  const named = proxyOf(environment);
  if (named !== undefined && last.proxy !== undefined) {
    throw new AppError("bad_input", `${path} and ARLARENA_PROXY_HEADER both name a proxy: remove one of them`);
  }
  return named ?? last.proxy;
}

const variables = {
  header: "ARLARENA_PROXY_HEADER",
  from: "ARLARENA_PROXY_FROM",
  role: "ARLARENA_PROXY_ROLE",
  roles: "ARLARENA_PROXY_ROLES",
  signOut: "ARLARENA_PROXY_SIGN_OUT",
} as const;

/** Reads the proxy's settings from variables; undefined if none is set. An empty variable counts as unset. */
function proxyOf(environment: NodeJS.ProcessEnv): Proxy | undefined {
  const read = (field: keyof typeof variables) => environment[variables[field]] || undefined;
  const pairs = read("roles")?.split(",").map(splitRole);
  const named = {
    header: read("header"),
    from: read("from")
      ?.split(",")
      .map((one) => one.trim()),
    role: read("role"),
    roles: pairs && Object.fromEntries(pairs),
    signOut: read("signOut"),
  };
  if (Object.values(named).every((value) => value === undefined)) return undefined;
  const parsed = PeopleFile.shape.proxy.safeParse(named);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: [field, ...rest], message }) => {
    const name = Object.entries(variables).find(([key]) => key === field)?.[1] ?? "ARLARENA_PROXY_HEADER";
    return `${[name, ...rest].join(".")}: ${message}`;
  });
  throw new AppError("bad_input", problems.join("; "));
}

/** Splits `ada@example.org=administrator`. The name itself may contain "=", as in some directories. */
function splitRole(pair: string): [string, string] {
  const at = pair.lastIndexOf("=");
  return at < 0 ? [pair.trim(), ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

export function isAmong(address: string, networks: readonly string[]): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const version = isIP(plain);
  if (version === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [base = "", prefix] = network.split("/");
    const family = isIP(base) === 4 ? "ipv4" : "ipv6";
    list.addSubnet(base, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return list.check(plain, version === 4 ? "ipv4" : "ipv6");
}
