import { expect, test } from "vitest";
import type { Config } from "#server/config/config.ts";
import { help, parseOptions } from "./options.ts";

const config: Config = {
  host: "127.0.0.1",
  playMemoryBytes: 4e9,
  port: 7331,
  home: "/home/me/.local/share/arlarena",
  databaseUrl: undefined,
  secret: undefined,
  trainerBundle: undefined,
  graceMs: 30_000,
  tickMs: 500,
};

test("options go before the environment", () => {
  const argv = ["--port", "8000", "--home", "/tmp/other", "--database-url", "postgresql://x/y"];
  expect(parseOptions(argv, config)).toMatchObject({
    kind: "start",
    config: { port: 8000, home: "/tmp/other", databaseUrl: "postgresql://x/y", host: "127.0.0.1" },
  });
});

test.each(["0", "70000", "x", "1.5"])("refuses --port %s and says what a port is", (port) => {
  expect(parseOptions(["--port", port], config)).toMatchObject({
    kind: "wrong",
    problem: expect.stringContaining(port),
  });
});

test.each(["0.0.0.0", "::", "192.168.1.4", "127.example.org"])("refuses to listen on %s without a secret", (host) => {
  expect(parseOptions(["--host", host], config)).toMatchObject({
    kind: "wrong",
    problem: expect.stringContaining("ARLARENA_SECRET"),
  });
  const withSecret = { ...config, secret: "0123456789abcdef" };
  expect(parseOptions(["--host", host], withSecret)).toMatchObject({ kind: "start", config: { host } });
});

test("an unknown option is named", () => {
  expect(parseOptions(["--prot", "1"], config)).toMatchObject({
    kind: "wrong",
    problem: expect.stringContaining("--prot"),
  });
});

test("the help names every option", () => {
  for (const name of ["--port", "--host", "--home", "--database-url", "--no-open", "--help"])
    expect(help).toContain(name);
  expect(parseOptions(["--help"], config)).toEqual({ kind: "help" });
});
