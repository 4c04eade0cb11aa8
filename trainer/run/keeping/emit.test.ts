import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RunEvent, fromMetricValue } from "#trainer/spec/event.ts";
import { openLog } from "./emit.ts";
import { mountSmallDisk, unmountSmallDisk } from "#trainer/run/testing/smallDisk.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "arlarena-emit-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => join(folder, "events.jsonl");
const events = () =>
  readFileSync(path(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => RunEvent.parse(JSON.parse(line)));

test("every line is a run event, numbered from 0, and the last one counts the metric lines", () => {
  const log = openLog(path(), () => 12);
  log.note("info", "hello");
  log.metrics({ iteration: 1, optimizerStep: 4 }, { "loss/total": 0.5 });
  log.done("completed", "1 iterations");
  log.close();
  expect(events().map((event) => event.seq)).toEqual([0, 1, 2]);
  expect(events().at(-1)).toMatchObject({ type: "done", numMetricLines: 1, atMs: 12 });
});

test("NaN and infinities are written and read back as they are", () => {
  const log = openLog(path());
  log.metrics({ iteration: 1, optimizerStep: 1 }, { a: NaN, b: Infinity, c: -Infinity, d: -0.25 });
  log.close();
  const [event] = events();
  if (event?.type !== "metrics") throw new Error("expected a metrics line");
  const values = Object.values(event.values).map(fromMetricValue);
  expect(values).toEqual([NaN, Infinity, -Infinity, -0.25]);
});

test("appending to an older log goes on with its numbers and cuts off a torn last line", () => {
  const first = openLog(path());
  first.note("info", "one");
  first.note("info", "two");
  first.close();
  appendFileSync(path(), '{"v":1,"seq":2,"type":"no');
  const second = openLog(path());
  second.note("info", "three");
  second.close();
  expect(events().map((event) => event.seq)).toEqual([0, 1, 2]);
});

describe("a log that a killed process began", () => {
  const epoch = { "clone/loss": 1 };
  beforeEach(() => {
    const log = openLog(path());
    log.metrics({ iteration: 1, optimizerStep: 0 }, epoch);
    log.metrics({ iteration: 1, optimizerStep: 2 }, { "loss/total": NaN, "time/rolloutMs": 5 });
    log.close();
  });

  test("gets no line twice; what a clock decides may differ, and the last line counts them all", () => {
    const log = openLog(path());
    log.metrics({ iteration: 1, optimizerStep: 0 }, epoch);
    log.metrics({ iteration: 1, optimizerStep: 2 }, { "loss/total": NaN, "time/rolloutMs": 7 });
    log.metrics({ iteration: 2, optimizerStep: 4 }, { "loss/total": 0.25 });
    log.done("completed", "2 iterations");
    log.close();
    expect(events().map((event) => event.type)).toEqual(["metrics", "metrics", "metrics", "done"]);
    expect(events().map((event) => event.seq)).toEqual([0, 1, 2, 3]);
    expect(events().at(-1)).toMatchObject({ numMetricLines: 3 });
  });

  test("gets a change of the data once, whether it was killed before or after writing it", () => {
    for (const text of ["phase hard begins", "phase hard begins again"]) {
      const log = openLog(path());
      log.change(2, text);
      log.close();
    }
    const changes = events().filter((event) => event.type === "event");
    expect(changes).toMatchObject([{ event: "data", iteration: 2, text: "phase hard begins" }]);
  });

  test("gets an error naming key and both values where the same iteration came out differently", () => {
    const log = openLog(path());
    log.metrics({ iteration: 1, optimizerStep: 2 }, { "loss/total": 0.5, "time/rolloutMs": 5 });
    log.close();
    expect(events().at(-1)).toMatchObject({
      level: "error",
      text: "iteration 1 computed again gave other values: loss/total was NaN, is 0.5",
    });
  });
});

test("on a full disk a line is whole or not there, and the log can go on once there is room", (context) => {
  const disk = join(folder, "disk");
  if (!mountSmallDisk(disk, 100)) return context.skip("mounting a small file system takes Linux and root");
  try {
    const log = openLog(join(disk, "events.jsonl"));
    log.note("info", "x".repeat(6000));
    writeFileSync(join(disk, "ballast"), new Uint8Array(92 * 1024));
    expect(() => log.note("info", "y".repeat(6000))).toThrow("ENOSPC");
    rmSync(join(disk, "ballast"));
    log.note("info", "z");
    log.close();
    const lines = readFileSync(join(disk, "events.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => RunEvent.parse(JSON.parse(line)).seq)).toEqual([0, 1]);
  } finally {
    unmountSmallDisk(disk);
  }
});
