import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { stat } from "node:fs/promises";
import { AppError } from "#packages/base";
import { toSeries, type RunSeries, sayUnread } from "#packages/trainers";
import type { NamedFile } from "#server/domain/trainers/import/foreignRun.ts";
import { entryOf } from "#server/domain/trainers/import/mergeRuns.ts";
import { planImport, type SettingsFile } from "#server/domain/trainers/import/planImport.ts";
import {
  channelNames,
  channels,
  makeDetector,
  toEffective,
  type SamplingSize,
  labelPoints,
  findMissing,
  firstOf,
  isRelevant,
  replay,
  statusChanges,
} from "#packages/detector";
import { readLogFile } from "#server/engine/trainers/import/readImport.ts";
import { readInputBytes } from "../inputFile.ts";
import { listLogs } from "../trainers/listLogs.ts";
import type { Outcome } from "../command.ts";
import { answerInput } from "../problem.ts";

/** Prints the detector's result for any log that can be imported. No running studio is needed. */
export function printDetection(file: string, size: SamplingSize): Promise<Outcome> {
  return answerInput(async () => {
    if (file !== "-" && (await stat(file).catch(() => undefined))?.isDirectory()) return await detectFolder(file, size);
    const { format, unread, notes, runs } = await readLogFile(file, await readInputBytes(file));
    const [raw, ...others] = runs;
    if (others.length > 0)
      return detectSeveral({ file }, { named: [{ fileName: file, file: { format, unread, notes, runs } }] }, size);
    const log = toSeries(raw ?? { lines: [] });
    if (!log.points.some(isRelevant)) throw nothingFound(file);
    const unreadWords = sayUnread(unread, entryOf(format));
    const told = [...notes, ...log.notes];
    const remarks = [...told, ...(unreadWords === undefined ? [] : [unreadWords])].map((text) => `${file}: ${text}`);
    const json = { file, format, unread, notes: told, ...detectRun(log, size) };
    return { text: JSON.stringify(json, undefined, 2), json, exitCode: 0, remarks };
  });
}

type Run = Pick<RunSeries, "points" | "originals">;

function detectRun(run: Run, size: SamplingSize) {
  const points = run.points.filter(isRelevant);
  const effective = toEffective(size);
  const detector = makeDetector(effective);
  const { readings, events } = replay(detector, points);
  return {
    steps: { count: points.length, first: points[0]?.iteration, last: points.at(-1)?.iteration },
    sampling: { ...size, effective },
    detector: detector.version,
    read: namesRead(run),
    missing: findMissing(points),
    states: statusChanges(readings),
    events,
    label: labelPoints(points, effective),
  };
}

async function detectFolder(folder: string, size: SamplingSize): Promise<Outcome> {
  const named: NamedFile[] = [];
  const { paths, settings, notes } = await listLogs(folder, (log) => named.push(log));
  return detectSeveral({ folder, files: paths, notes }, { named, settings }, size);
}

type Asked = { file?: string; folder?: string; files?: readonly string[]; notes?: readonly string[] };

type Given = { named: readonly NamedFile[]; settings?: readonly SettingsFile[] };

function detectSeveral(asked: Asked, { named, settings }: Given, size: SamplingSize): Outcome {
  const plan = planImport(named, {}, settings);
  const runs = plan.runs.map(({ cellIndex, seed, run }) => {
    const cell = plan.cells[cellIndex];
    return {
      method: cell?.method,
      environment: cell && nameOfEnvironment(cell.spec.environment),
      seed,
      ...detectRun(run, size),
    };
  });
  const json = { ...asked, notes: [...(asked.notes ?? []), ...plan.notes], runs };
  return { text: JSON.stringify(json, undefined, 2), json, exitCode: 0, remarks: json.notes };
}

/** Returns, for each input metric of the detector's rules, the log's own name of that metric. */
function namesRead({ points, originals }: Run): Record<string, string> {
  const all: Record<string, number> = {};
  for (const { values } of points) Object.assign(all, values);
  const parts = [
    ...channelNames.map((name) => [name, channels[name].metrics] as const),
    ["trainingSuccess", trainingSuccess] as const,
    ["heldOutSuccess", heldOutSuccess] as const,
  ];
  return Object.fromEntries(
    parts.flatMap(([name, keys]) => {
      const key = firstOf<string>(all, keys)?.key;
      return key === undefined ? [] : [[name, originals[key] ?? key]];
    }),
  );
}

function nothingFound(file: string): AppError {
  return new AppError("bad_input", `${file}: none of its metrics is one that the rules read`);
}
