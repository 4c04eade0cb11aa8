import { statSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { Role } from "#server/domain/people/role.ts";
import { readYamlFile } from "./yamlFile.ts";

/** An address, or a network as `10.0.0.0/8`. */
const Network = z.string().refine(
  (text) => {
    const [address = "", prefix, ...more] = text.split("/");
    const version = isIP(address);
    if (version === 0 || more.length > 0) return false;
    return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
  },
  { error: ({ input }) => `${JSON.stringify(input)} is no address and no network such as 10.0.0.0/8` },
);

const PeopleFile = z.strictObject({
  /** A proxy before us that signs people in, such as oauth2-proxy. */
  proxy: z.strictObject({
    /** In which header it says whom. */
    header: z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,60}$/, "is no name of a header"),
    /** From where alone that header is believed. */
    from: z.array(Network).min(1, "names nobody: without an address the header is believed from nowhere"),
    /** What somebody may do who comes for the first time. */
    role: Role.default("viewer"),
    /** The same for those who are named here. */
    roles: z.record(z.string(), Role).default({}),
    /** Where the proxy signs out, a path on its own host. */
    signOut: z
      .string()
      .regex(/^\/(?!\/)[\x21-\x7e]*$/, "is a path such as /oauth2/sign_out")
      .optional(),
  }),
});
export type Proxy = z.infer<typeof PeopleFile>["proxy"];

type Read = { path: string; mtimeMs: number; proxy: Proxy | undefined };
let last: Read | undefined;

/** The proxy of `people.yaml` in the state folder; undefined where there is none. Throws with file and field where it is wrong. */
export function readProxy(home: string): Proxy | undefined {
  const path = join(home, "people.yaml");
  // Asked at every request: the file is read again when it changed.
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (last?.path !== path || last.mtimeMs !== mtimeMs) {
    last = { path, mtimeMs, proxy: readYamlFile(path, PeopleFile)?.proxy };
  }
  return last.proxy;
}

/** Whether a socket's address is among these addresses and networks. */
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
