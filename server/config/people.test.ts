import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isAmong, readProxy } from "./people.ts";

const home = await mkdtemp(join(tmpdir(), "arlarena-people-"));
afterAll(() => rm(home, { recursive: true, force: true }));

const environment = (variables: Record<string, string>): NodeJS.ProcessEnv => ({ NODE_ENV: "test", ...variables });

let second = 1;
async function write(text: string): Promise<void> {
  const path = join(home, "people.yaml");
  await writeFile(path, text);
  await utimes(path, ++second, second);
}

test("a header is believed from the file's networks alone; without a file there is no proxy", async () => {
  expect(readProxy(home)).toBeUndefined();
  await write("proxy:\n  header: X-Forwarded-User\n  from: [10.0.0.0/8]\n");
  expect(readProxy(home)).toEqual({ header: "X-Forwarded-User", from: ["10.0.0.0/8"], role: "viewer", roles: {} });
  await write("proxy:\n  header: X-Forwarded-Email\n  from: [127.0.0.1]\n  role: editor\n");
  expect(readProxy(home)).toMatchObject({ header: "X-Forwarded-Email", role: "editor" });
});

test.each([
  ["proxy:\n  header: X-Forwarded-User\n  from: []\n", "proxy.from: is empty"],
  ["proxy:\n  header: X-Forwarded-User\n", "proxy.from"],
  ["proxy:\n  header: X-Forwarded-User\n  from: [10.0.0.0/33]\n", 'proxy.from.0: "10.0.0.0/33" is neither an address'],
  [
    "proxy:\n  header: X-Forwarded-User\n  from: [proxy.example]\n",
    'proxy.from.0: "proxy.example" is neither an address',
  ],
  ["proxy:\n  header: 'X User'\n  from: [10.0.0.1]\n", "proxy.header: is not a valid header name"],
  ["proxy:\n  header: X-User\n  from: [10.0.0.1]\n  role: root\n", "proxy.role"],
  ["proxy:\n  header: X-User\n  from: [10.0.0.1]\n  signOut: //evil.example\n", "proxy.signOut: must be a path"],
])("%j is refused with its field", async (text, words) => {
  await write(text);
  expect(() => readProxy(home)).toThrow(words);
});

const fromVariables = { ARLARENA_PROXY_HEADER: "X-User", ARLARENA_PROXY_FROM: "10.0.0.7, fd00::/8" };

test("variables name the proxy where there is no file, and never beside one", async () => {
  const none = join(home, "none");
  expect(readProxy(none, environment({ ARLARENA_PROXY_HEADER: "" }))).toBeUndefined();
  expect(readProxy(none, environment(fromVariables))).toEqual({
    header: "X-User",
    from: ["10.0.0.7", "fd00::/8"],
    role: "viewer",
    roles: {},
  });
  const roles = { ARLARENA_PROXY_ROLE: "editor", ARLARENA_PROXY_ROLES: "a@x.org=administrator, cn=ben=viewer" };
  expect(readProxy(none, environment({ ...fromVariables, ...roles, ARLARENA_PROXY_SIGN_OUT: "/out" }))).toMatchObject({
    role: "editor",
    roles: { "a@x.org": "administrator", "cn=ben": "viewer" },
    signOut: "/out",
  });
  await write("proxy:\n  header: X-Forwarded-User\n  from: [10.0.0.0/8]\n");
  expect(() => readProxy(home, environment(fromVariables))).toThrow("both name a proxy");
});

test.each([
  [{ ARLARENA_PROXY_FROM: "10.0.0.1" }, "ARLARENA_PROXY_HEADER: "],
  [{ ARLARENA_PROXY_HEADER: "X-User" }, "ARLARENA_PROXY_FROM: "],
  [{ ...fromVariables, ARLARENA_PROXY_FROM: "10.0.0.1,lab" }, 'ARLARENA_PROXY_FROM.1: "lab" is neither an address'],
  [{ ...fromVariables, ARLARENA_PROXY_ROLE: "root" }, "ARLARENA_PROXY_ROLE: "],
  [{ ...fromVariables, ARLARENA_PROXY_ROLES: "ada" }, "ARLARENA_PROXY_ROLES.ada: "],
  [{ ...fromVariables, ARLARENA_PROXY_SIGN_OUT: "//evil.example" }, "ARLARENA_PROXY_SIGN_OUT: must be a path"],
])("%j is refused with the variable's name", (variables, words) => {
  expect(() => readProxy(join(home, "none"), environment(variables))).toThrow(words);
});

test.each([
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["11.1.2.3", ["10.0.0.0/8"], false],
  ["::ffff:10.1.2.3", ["10.0.0.0/8"], true],
  ["127.0.0.1", ["127.0.0.1"], true],
  ["127.0.0.2", ["127.0.0.1"], false],
  ["fd00::7", ["fd00::/8", "10.0.0.1"], true],
  ["fe80::7", ["fd00::/8"], false],
  ["::1", ["::1"], true],
  ["", ["0.0.0.0/0", "::/0"], false],
  ["10.0.0.1, 127.0.0.1", ["127.0.0.1"], false],
])("%s is among %j: %s", (address, networks, isIt) => {
  expect(isAmong(address, networks)).toBe(isIt);
});
