import { alertsRouter } from "./routers/alerts.ts";
import { analysisRouter } from "./routers/analysis.ts";
import { auditRouter } from "./routers/audit.ts";
import { comparisonRouter } from "./routers/comparison.ts";
import { costRouter } from "./routers/cost.ts";
import { environmentRouter } from "./routers/environment.ts";
import { linkRouter } from "./routers/link.ts";
import { marksRouter } from "./routers/marks.ts";
import { nodesRouter } from "./routers/nodes.ts";
import { paletteRouter } from "./routers/palette.ts";
import { peopleRouter } from "./routers/people.ts";
import { policyRouter } from "./routers/policy.ts";
import { reportRouter } from "./routers/report.ts";
import { runRouter } from "./routers/run.ts";
import { runTableRouter } from "./routers/runTable.ts";
import { seriesRouter } from "./routers/series.ts";
import { stabilityRouter } from "./routers/stability.ts";
import { statementRouter } from "./routers/statement.ts";
import { studyRouter } from "./routers/study.ts";
import { sweepRouter } from "./routers/sweep.ts";
import { systemRouter } from "./routers/system.ts";
import { tableRouter } from "./routers/table.ts";
import { createCallerFactory, router } from "./trpc.ts";

/** Root router: all procedures of the product, one router per noun. */
export const appRouter = router({
  alerts: alertsRouter,
  analysis: analysisRouter,
  audit: auditRouter,
  comparison: comparisonRouter,
  cost: costRouter,
  environment: environmentRouter,
  link: linkRouter,
  marks: marksRouter,
  nodes: nodesRouter,
  palette: paletteRouter,
  people: peopleRouter,
  policy: policyRouter,
  report: reportRouter,
  run: runRouter,
  runTable: runTableRouter,
  series: seriesRouter,
  stability: stabilityRouter,
  statement: statementRouter,
  study: studyRouter,
  sweep: sweepRouter,
  system: systemRouter,
  table: tableRouter,
});
export type AppRouter = typeof appRouter;

/** The procedures as functions, for the REST API. */
export const createCaller = createCallerFactory(appRouter);
