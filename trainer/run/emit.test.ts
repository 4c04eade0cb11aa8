import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunEvent, fromMetricValue } from "#trainer/spec/event.ts";
import { openLog } from "./emit.ts";

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
