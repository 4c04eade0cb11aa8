import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readNodes } from "./nodes.ts";

const home = mkdtempSync(join(tmpdir(), "arlarena-nodes-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const environment = (values: Record<string, string>): NodeJS.ProcessEnv => ({ NODE_ENV: "test", ...values });
const write = (name: string, text: string) => {
  writeFileSync(join(home, name), text);
  return join(home, name);
};

describe("readNodes", () => {
  test("is this machine alone without a file, with as many slots as are asked for", () => {
    expect(readNodes("/nowhere", environment({ ARLARENA_SLOTS: "3" }))).toMatchObject([
      { kind: "local", name: "local", slots: { per: "core", count: 3 } },
    ]);
  });

  test("states the limit of a number of slots that is not possible", () => {
    const read = (ARLARENA_SLOTS: string) => () => readNodes("/nowhere", environment({ ARLARENA_SLOTS }));
    expect(read("0")).toThrow(/^ARLARENA_SLOTS="0" in the environment: must be at least 1$/);
    expect(read("2000")).toThrow(/^ARLARENA_SLOTS="2000" in the environment: must be at most 1024$/);
    expect(read("many")).toThrow(/^ARLARENA_SLOTS="many" in the environment: must be a number$/);
  });

  test("reads the file of the state folder, and another one where it is named", () => {
    write("nodes.yaml", "nodes:\n  - {kind: local, name: a, slots: {per: core, count: 1}}\n");
    expect(readNodes(home, environment({}))[0]?.name).toBe("a");
    const other = write("other.yaml", "nodes:\n  - {kind: local, name: b, slots: {per: gpu, devices: [0, 1]}}\n");
    expect(readNodes(home, environment({ ARLARENA_NODES: other }))).toMatchObject([
      { name: "b", slots: { devices: ["0", "1"] } },
    ]);
  });

  test.each([
    ["nodes:\n  - {kind: ssh, name: a, host: h, slots: {per: core, count: 1}}", "nodes.0.folder"],
    ["nodes: [", "Flow sequence"],
    ["nodes:\n  - {kind: ftp, name: a}", "nodes.0.kind"],
  ])("names file and place of what is wrong in %j", (text, place) => {
    const path = write("wrong.yaml", text);
    expect(() => readNodes(home, environment({ ARLARENA_NODES: path }))).toThrow(path);
    expect(() => readNodes(home, environment({ ARLARENA_NODES: path }))).toThrow(place);
  });

  test("does not go on without a file that was named", () => {
    expect(() => readNodes(home, environment({ ARLARENA_NODES: "/no/such.yaml" }))).toThrow("does not exist");
  });
});
