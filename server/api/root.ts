import { alertsRouter } from "./fleet/alertsRouter.ts";
import { analysisRouter } from "./analysis/analysisRouter.ts";
import { changesRouter } from "./people/changesRouter.ts";
import { comparisonRouter } from "./analysis/comparisonRouter.ts";
import { costRouter } from "./fleet/costRouter.ts";
import { environmentRouter } from "./environments/environmentRouter.ts";
import { linkRouter } from "./publish/linkRouter.ts";
import { marksRouter } from "./runs/marksRouter.ts";
import { nodesRouter, systemRouter } from "./fleet/nodesRouter.ts";
import { paletteRouter } from "./runs/paletteRouter.ts";
import { peopleRouter } from "./people/peopleRouter.ts";
import { policyRouter } from "./environments/policyRouter.ts";
import { queueRouter } from "./fleet/queueRouter.ts";
import { reportRouter } from "./publish/reportRouter.ts";
import { runRouter } from "./runs/runRouter.ts";
import { runTableRouter } from "./runs/runTableRouter.ts";
import { seriesRouter } from "./runs/seriesRouter.ts";
import { stabilityRouter } from "./analysis/stabilityRouter.ts";
import { statementRouter } from "./trainers/statementRouter.ts";
import { studyRouter } from "./publish/studyRouter.ts";
import { sweepRouter } from "./plan/sweepRouter.ts";
import { tableRouter } from "./publish/tableRouter.ts";
import { createCallerFactory, router } from "./trpc.ts";

export const appRouter = router({
  alerts: alertsRouter,
  analysis: analysisRouter,
  changes: changesRouter,
  comparison: comparisonRouter,
  cost: costRouter,
  environment: environmentRouter,
  link: linkRouter,
  marks: marksRouter,
  nodes: nodesRouter,
  palette: paletteRouter,
  people: peopleRouter,
  policy: policyRouter,
  queue: queueRouter,
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

export const createCaller = createCallerFactory(appRouter);
