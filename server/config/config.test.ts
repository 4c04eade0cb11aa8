import { describe, expect, it, test } from "vitest";
import { findBasePath, readConfig } from "./config.ts";

const environment = (values: Record<string, string>): NodeJS.ProcessEnv => ({ NODE_ENV: "test", ...values });

describe("readConfig", () => {
  test("listens on loopback unless told otherwise", () => {
    expect(readConfig(environment({}))).toMatchObject({ host: "127.0.0.1", port: 7331, databaseUrl: undefined });
  });

  test("keeps state in the user's data folder, which ARLARENA_HOME overrides", () => {
    expect(readConfig(environment({ XDG_DATA_HOME: "/data" })).home).toBe("/data/arlarena");
    expect(readConfig(environment({ XDG_DATA_HOME: "/data", ARLARENA_HOME: "/here" })).home).toBe("/here");
  });

  test("treats an empty variable as unset", () => {
    expect(readConfig(environment({ DATABASE_URL: "", PORT: "", ARLARENA_HOST: "" }))).toMatchObject({
      databaseUrl: undefined,
      port: 7331,
      host: "127.0.0.1",
    });
  });

  test.each([
    ["PORT", "0", "must be at least 1"],
    ["PORT", "65536", "must be at most 65535"],
    ["PORT", "http", "must be a number"],
    ["PORT", "80.5", "must be a whole number"],
    ["ARLARENA_GRACE_SECONDS", "0.5", "must be at least 1"],
    ["ARLARENA_PLAY_MEMORY_MB", "Infinity", "must be a number"],
  ])("names the variable, the value and the limit of %s=%s", (name, value, limit) => {
    expect(() => readConfig(environment({ [name]: value }))).toThrow(`${name}="${value}" in the environment: ${limit}`);
  });
});

it.each([
  [{}, undefined],
  [{ ARLARENA_BASE_PATH: "/" }, undefined],
  [{ ARLARENA_HOSTS: "studio.example.org,10.0.0.1:7331" }, undefined],
  [{ ARLARENA_BASE_PATH: "/studio" }, /^ARLARENA_BASE_PATH=\/studio: ARLArena Studio does not work below a path/],
  [
    { ARLARENA_HOSTS: "a,lab.example.org/studio" },
    /^ARLARENA_HOSTS=lab\.example\.org\/studio: .* such as \/studio: give the studio its own host name/,
  ],
  [{ ARLARENA_HOSTS: "https://lab.example.org/studio" }, /such as \/studio/],
  [{ ARLARENA_HOSTS: "https://lab.example.org" }, /write a host name such as/],
])("of %j says %s", (environment, words) => {
  const said = findBasePath({ NODE_ENV: "test", ...environment });
  if (words === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(words);
});
