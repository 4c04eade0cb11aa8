import { afterAll, beforeAll, expect, test } from "vitest";
import { NextRequest } from "next/server";
import { createShareLink, revokeShareLink } from "#server/db/publish/links.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { renderShared } from "#server/api/publish/reports/renderReport.ts";
import { proxy } from "../../proxy.ts";
import { GET as open } from "./shared/[token]/route.ts";
import { origin } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";

/** Tests read-only links: a link opens its own page and no other page. */

const database = await makeTestDatabase();
beforeAll(async () => {
  startServices(database.url);
  sweepId = await launch("night");
  await launch("secret");
});
afterAll(async () => {
  await stopServices();
  await database.close();
});

let sweepId = "";
async function launch(name: string): Promise<string> {
  const environments = [{ id: "sokoban" }];
  const plan = SweepPlan.parse({
    name,
    methods: ["grpo"],
    environments,
    seeds: [0],
    base: { budget: { iterations: 1 } },
  });
  return createSweep(database, { plan, expansion: expandPlan(plan) });
}

const inDays = (n: number) => new Date(Date.now() + n * 24 * 3600 * 1000);
const shared = { kind: "sweep", sweepId: "night" } as const;

async function follow(token: string): Promise<Response> {
  const request = new Request(`${origin}/api/shared/${token}`, { headers: { host: "localhost:4000" } });
  return open(request, { params: Promise.resolve({ token }) });
}

test("an address leads to its page with a cookie for that page alone, and no other page opens by it", async () => {
  const link = await createShareLink(database, { shared, createdBy: "", expiresAt: inDays(1) });
  const other = await createShareLink(database, { shared, createdBy: "", expiresAt: inDays(1) });
  const response = await follow(link.text);
  expect([response.status, response.headers.get("location")]).toEqual([303, `/shared/${link.id}`]);
  const [pair = "", ...attributes] = response.headers.get("set-cookie")?.split("; ") ?? [];
  expect(attributes).toEqual([
    `Path=/shared/${link.id}`,
    "HttpOnly",
    "SameSite=Lax",
    expect.stringMatching(/^Max-Age=863\d\d$/),
  ]);
  expect(pair).not.toContain(link.text);
  const statusOf = (path: string, cookie = pair) =>
    proxy(new NextRequest(origin + path, { headers: { host: "localhost:4000", cookie } })).status;
  expect(statusOf(`/shared/${link.id}`)).toBe(200);
  for (const path of [`/shared/${other.id}`, `/shared/${link.id}/x`, "/shared", "/sweeps", "/sweeps/night"]) {
    expect([path, statusOf(path)]).toEqual([path, 307]);
  }
  expect(statusOf(`/shared/${other.id}`, pair.replace(`=${link.id}.`, `=${other.id}.`))).toBe(307);
});

test("an address of no link, and one of a link that ended, lead nowhere", async () => {
  const [late, gone] = [
    await createShareLink(database, { shared, createdBy: "", expiresAt: inDays(-1) }),
    await createShareLink(database, { shared, createdBy: "", expiresAt: inDays(1) }),
  ];
  await revokeShareLink(database, gone.id, new Date());
  for (const text of [late.text, gone.text, "A".repeat(43), "", "../../etc/passwd"]) {
    const { status, headers } = await follow(text);
    expect([status, headers.get("set-cookie")]).toEqual([401, null]);
  }
});

test("what is shown is of the link's subject alone", async () => {
  const sweep = await renderShared(database, { kind: "sweep", sweepId });
  expect(sweep.title).toBe("night");
  expect(sweep.html).not.toContain("secret");
  const { id } = await database.prisma.run.findFirstOrThrow({ where: { sweepId }, select: { id: true } });
  const runs = await renderShared(database, { kind: "selection", runIds: [id], columns: ["sweep"] });
  expect([runs.title, runs.html.includes("night"), runs.html.includes("secret")]).toEqual(["1 run", true, false]);
  const asked = { question: "survival" as const, sweepIds: [sweepId], options: { by: "environment" } };
  const analysis = await renderShared(database, { kind: "analysis", ...asked });
  expect([analysis.title, analysis.html.includes("No results yet."), analysis.html.includes("secret")]).toEqual([
    "Survival",
    true,
    false,
  ]);
});
