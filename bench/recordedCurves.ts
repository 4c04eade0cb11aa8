import { parseStoredSpec } from "#server/domain/import/storedSpec.ts";
import { makeDetector, toEffective } from "#server/domain/stability/detector.ts";
import { samplingOf } from "#server/domain/stability/logs/samplingOf.ts";
import { parseLog } from "#server/domain/stability/logs/parseLog.ts";
import { replay, statusChanges } from "#server/domain/stability/replay.ts";
import { isRelevant, type Point } from "#server/domain/stability/signals/point.ts";
import type { MetricCurve } from "#server/domain/search/objective.ts";
import { StudyLines } from "#server/study/studyLines.ts";
import { AttemptLine, EndLine, RunLine, StudyHead } from "#server/study/studyFile.ts";
import { z } from "zod";

export type RecordedCurve = {
  cell: string;
  seed: number;
  iterations: number;
  success: MetricCurve;
  /** Where the detector says that it has collapsed, as it would have said it then; Infinity where it never does. */
  collapsedAt: number;
};

/** The held-out success of every finished run of a recorded study. */
export async function readRecordedCurves(path: string): Promise<RecordedCurve[]> {
  const lines = new StudyLines(path);
  const { sweeps } = await lines.parse(StudyHead);
  const curves: RecordedCurve[] = [];
  const Next = z.union([RunLine, AttemptLine, EndLine]);
  let run: RunLine | undefined;
  for (;;) {
    const line = await lines.parse(Next);
    if (line.type === "end") break;
    if (line.type === "run") {
      run = line;
      continue;
    }
    const log = await lines.take(line.logLines);
    await lines.take(line.sampleLines);
    const cell = sweeps.find(({ id }) => id === run?.sweepId)?.cells.find(({ index }) => index === run?.cell);
    // What another attempt went on from is no whole curve.
    if (run?.status !== "finished" || line.reason !== "completed" || cell === undefined) continue;
    const points = parseLog(log.join("\n"))?.points ?? [];
    curves.push({ cell: `${run.sweepId} ${run.cell}`, seed: run.seed, ...readCurve(points, cell.spec) });
  }
  await lines.close();
  return curves;
}

function readCurve(points: readonly Point[], spec: Record<string, unknown>) {
  const success = points.flatMap(({ iteration, values }) => {
    const value = values["evaluation/successRate"];
    return value === undefined || iteration === 0 ? [] : [{ iteration, value }];
  });
  const detector = makeDetector(toEffective(samplingOf(parseStoredSpec(spec))));
  const changes = statusChanges(replay(detector, points.filter(isRelevant)).readings);
  const collapsedAt = changes.find(({ status }) => status === "collapsed")?.iteration ?? Infinity;
  return { success, iterations: Math.max(0, ...points.map(({ iteration }) => iteration)), collapsedAt };
}
