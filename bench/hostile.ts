/**
 * Measures another person's pages while somebody sends 50 hostile requests at a time: previews of 10,000 cells, batches,
 * imports and sign-ins. `node bench/compiled.mjs hostile [LOADS 30] [KIND]`
 */
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { acceptInvitation, createInvitation } from "#server/db/people/invitations.ts";
import { createSweep, setSweepIntent } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { Role } from "#server/domain/people/access.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { medianOf } from "#trainer/spec/averages.ts";
import { onThrowawayDatabase, openStudio, print, readNumbers } from "./throwaway.ts";

const password = "a password of this bench";
const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
const wide = {
  name: "wide",
  methods: ["grpo"],
  environments: [{ id: "sokoban" }],
  seeds: [0],
  axes: {
    "optimizer.learningRate": hundred.map((i) => i * 1e-5),
    "update.klCoef": hundred.map((i) => i * 1e-3),
  },
};

async function addPerson(database: Database, name: string, role: Role): Promise<number> {
  const expiresAt = new Date(Date.now() + 1e8);
  const { text } = await createInvitation(database, { role, note: "", invitedBy: "bench", expiresAt });
  return acceptInvitation(database, { text, name, password, now: new Date() });
}

const batchOf = (numCalls: number) =>
  `/api/trpc/${Array.from({ length: numCalls }, () => "runTable.fields").join(",")}?batch=1&input=%7B%7D`;

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Lists hostile requests by kind; 50 of them are always in progress. */
function listHostile(
  send: Send,
  authorization: string,
): { kind: string; number: number; ask: () => Promise<Response> }[] {
  const json = { authorization, "content-type": "application/json" };
  const log = Array.from({ length: 20_000 }, (_, step) => `{"step":${step},"loss":${1 / (step + 1)}}\n`).join("");
  const importOne = () => {
    const form = new FormData();
    form.append("files", new File([log], "grpo_s1.jsonl"));
    form.append("preview", "yes");
    return send("/api/import", { method: "POST", headers: { authorization }, body: form });
  };
  const signIn = () => send("/api/sign-in", formOf({ name: "Mallory", password: "wrong" }));
  return [
    {
      kind: "preview",
      number: 20,
      ask: () => send("/api/v1/sweep/preview", { method: "POST", headers: json, body: JSON.stringify(wide) }),
    },
    { kind: "batch of 500", number: 5, ask: () => send(batchOf(500), { headers: { authorization } }) },
    { kind: "batch of 20", number: 10, ask: () => send(batchOf(20), { headers: { authorization } }) },
    { kind: "import", number: 5, ask: importOne },
    { kind: "sign-in", number: 10, ask: signIn },
  ];
}

let origin = "";

function formOf(fields: Record<string, string>): RequestInit {
  return {
    method: "POST",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
    redirect: "manual",
  };
}

const [numLoads = 30] = readNumbers([30]);
await onThrowawayDatabase({ isDurable: true }, async (database, _, url) => {
  const plan = SweepPlan.parse({ ...wide, axes: { "optimizer.learningRate": [1e-4, 2e-4] } });
  const sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  await setSweepIntent(database, sweepId, "pause");
  await addPerson(database, "Ada", "viewer");
  const personId = await addPerson(database, "Mallory", "editor");
  const token = await createApiToken(database, { name: "m", scopes: ["read", "write"], personId });
  await openStudio({ database, url }, async ({ options, lines }) => {
    origin = options.baseURL ?? "";
    const send: Send = (path, init) => fetch(origin + path, init);
    const entered = await send("/api/sign-in", formOf({ name: "Ada", password }));
    const cookie = entered.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    const pages = [`/sweeps/${sweepId}`, "/sweeps", "/runs"];
    const load = async (path: string): Promise<number> => {
      const startMs = performance.now();
      const response = await send(path, { headers: { cookie } });
      await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      return performance.now() - startMs;
    };
    const loadAll = async (): Promise<number[]> => {
      const times: number[] = [];
      for (let i = 0; i < numLoads; i++) times.push(await load(pages[i % pages.length] ?? ""));
      return times;
    };
    await loadAll();
    print("a page, idle studio (median)", medianOf(await loadAll()), "ms");
    const statuses = new Map<string, number>();
    const over = new AbortController();
    const only = process.argv[3];
    const attack = listHostile(send, `Bearer ${token}`)
      .filter(({ kind }) => only === undefined || kind === only)
      .flatMap(({ kind, number, ask }) =>
        Array.from({ length: number }, async () => {
          while (!over.signal.aborted) {
            const status = await ask().then(
              async (response) => {
                await response.text();
                return String(response.status);
              },
              (error: unknown) => `failed: ${String(error)}`,
            );
            statuses.set(`${kind}: ${status}`, (statuses.get(`${kind}: ${status}`) ?? 0) + 1);
          }
        }),
      );
    const times = await loadAll();
    print("a page beside 50 hostile requests (median)", medianOf(times), "ms");
    for (const [i, path] of pages.entries())
      print(`  ${path}`, medianOf(times.filter((_, k) => k % pages.length === i)), "ms");
    print("a page beside 50 hostile requests (slowest)", Math.max(...times), "ms");
    const startMs = performance.now();
    await send("/api/sign-in", formOf({ name: "Ada", password }));
    print("a sign-in from the same address meanwhile", performance.now() - startMs, "ms");
    over.abort();
    await Promise.all(attack);
    for (const [answer, number] of [...statuses].toSorted(([a], [b]) => a.localeCompare(b)))
      print(`  ${answer}`, number, "answers");
    const ended = lines.filter((line) => /ended \(|has not answered/.test(line));
    print("processes that the supervisor ended or started again", ended.length, "");
    for (const line of ended) console.log(`  ${line}`);
  });
});
