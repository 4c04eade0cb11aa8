import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, unstable_localLink } from "@trpc/client";
import { AppRouterContext, type AppRouterInstance } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { SearchParamsContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromWire, toWire } from "#packages/base";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";
import { appRouter, type AppRouter } from "#server/api/root.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
import { loadDrawing } from "#app/_charts/LazyDrawing.tsx";
import { FixedWidth } from "#app/_charts/Measured.tsx";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { TrpcContext } from "#app/_trpc/client.tsx";
import { figures } from "./figures.tsx";

const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
const caller = { kind: "session" as const, isSameOrigin: true, person: null };
const home = await mkdtemp(join(tmpdir(), "arlarena-figures-"));
/** First sweep of each imported study. */
const sweepOf = new Map<string, string>();

const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
const trpcClient = createTRPCClient<AppRouter>({
  links: [
    unstable_localLink({
      router: appRouter,
      transformer: { serialize: toWire, deserialize: fromWire },
      createContext: () => Promise.resolve({ database, notifications, analyst: makeAnalystHere(database), caller }),
    }),
  ],
});

/** Figures that runs of the paper's Table 3 cannot show, by the recorded study that shows them. */
const studyOf: Readonly<Record<string, Study>> = {
  behaviour: "behaviour/webshop",
  claims: "transfer/sokoban",
  front: "laboratory/search",
  importance: "laboratory/search",
  pairs: "laboratory/search",
  rescue: "rescue/webshop",
  rungs: "laboratory/search",
  transfer: "transfer/sokoban",
  trials: "laboratory/search",
};
type Study = "table3-webshop" | "behaviour/webshop" | "transfer/sokoban" | "laboratory/search" | "rescue/webshop";
/** `npm test` imports the three short studies, the soak the other two. */
const studies = (
  ["table3-webshop", "transfer/sokoban", "behaviour/webshop", "laboratory/search", "rescue/webshop"] as const
).slice(...(isSoak ? [3, 5] : [0, 3]));
const cases = Object.entries(figures).flatMap(([name, { Figure }]) => {
  const study = studyOf[name] ?? "table3-webshop";
  return studies.includes(study) ? [{ name, Figure, study }] : [];
});

beforeAll(async () => {
  for (const study of studies) {
    const { sweeps } = await importStudy(database, home, join("studies", `${study}.arlarena`));
    const [first] = sweeps;
    if (first) sweepOf.set(study, first.id);
  }
  while (await replayWaiting(database.pool, 100));
  while (await summariseRuns(database.pool, 100));
  await loadDrawing();
});
afterAll(async () => {
  await notifications.close();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

/** Reads a recorded search as if it had no rungs and a second objective, the trial's number: none was recorded so. */
async function withTwoObjectives(id: string, read: () => Promise<string>): Promise<string> {
  const { plan } = await database.prisma.sweep.findUniqueOrThrow({ where: { id } });
  const write = (text: string) => database.pool.query("UPDATE sweep SET plan = $2 WHERE id = $1", [id, text]);
  const { search, ...rest } = plan as { search: { halving?: unknown; objective: unknown } };
  const { halving: _, objective, ...others } = search;
  const second = { metric: "rollout/responseTokens", goal: "minimize" };
  queryClient.clear();
  await database.pool.query(
    "UPDATE decision SET outcome = jsonb_set(outcome, '{losses,1}', to_jsonb(number)) WHERE sweep_id = $1 AND outcome->>'kind' = 'measured'",
    [id],
  );
  await write(JSON.stringify({ ...rest, search: { ...others, objective: [objective, second] } }));
  const html = await read();
  await write(JSON.stringify(plan));
  queryClient.clear();
  return html;
}

/** Renders as a page does: again after each answer, until none is missing. */
async function draw(figure: ReactElement): Promise<string> {
  for (;;) {
    const html = renderToStaticMarkup(
      <AppRouterContext value={{} as AppRouterInstance}>
        <SearchParamsContext value={new URLSearchParams()}>
          <QueryClientProvider client={queryClient}>
            <TrpcContext.TRPCProvider {...{ queryClient, trpcClient }}>
              <FixedWidth value={640}>{figure}</FixedWidth>
            </TrpcContext.TRPCProvider>
          </QueryClientProvider>
        </SearchParamsContext>
      </AppRouterContext>,
    );
    const missing = queryClient.getQueryCache().findAll({ predicate: ({ state }) => state.data === undefined });
    const asked = missing.filter(({ options }) => (options as { enabled?: boolean }).enabled !== false);
    if (asked.length === 0) return html;
    await Promise.all(asked.map((query) => query.fetch()));
  }
}

/** Number of marks: shapes, and table cells or bars with a colour. Axes are lines and texts, buttons have icons. */
function countMarks(html: string): number {
  const drawn = html.replaceAll(/<button.*?<\/button>/gs, "");
  return [...drawn.matchAll(/<(path|circle|rect)[ >]|style="[^"]*(background|width):/g)].length;
}

it.each(cases)("$name has marks for $study", { tags: inBoth }, async ({ name, Figure, study }) => {
  const id = sweepOf.get(study) ?? "";
  const read = () => draw(<Figure sweepIds={[id]} />);
  const html = await (name === "front" ? withTwoObjectives(id, read) : read());
  expect(html).not.toContain("Nothing to draw");
  expect(countMarks(html)).toBeGreaterThan(1);
});

it("says so where there is nothing to draw", async () => {
  const Figure = figures["transfer"]?.Figure ?? (() => null);
  expect(await draw(<Figure sweepIds={[sweepOf.get("table3-webshop") ?? ""]} />)).toContain("Nothing to draw");
});

it("counts no marks in an empty frame", async () => {
  const axis = { domain: [0, 1], ticks: [0, 0.5, 1] } as const;
  const frame = (marks: ReactElement | null) => (
    <SvgFigure title="Frame" x={axis} y={axis} data={[]}>
      {() => marks}
    </SvgFigure>
  );
  expect(countMarks(await draw(frame(null)))).toBe(0);
  expect(countMarks(await draw(frame(<circle r={2} />)))).toBe(1);
});
