import { QueryClient } from "@tanstack/react-query";
import { createTRPCClient, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { expect, it } from "vitest";
import type { AppRouter } from "#server/api/root.ts";
import { keyedBy } from "./keyedBy.ts";

it("asks anew when the state has changed, and only then, and can be invalidated by the input", async () => {
  const queryClient = new QueryClient();
  const asked: unknown[] = [];
  const link: TRPCLink<AppRouter> = () => (sent) =>
    observable((observer) => {
      asked.push([sent.op.path, sent.op.input]);
      observer.next({ result: { type: "data", data: asked.length } });
      observer.complete();
    });
  const trpc = createTRPCOptionsProxy<AppRouter>({ client: createTRPCClient({ links: [link] }), queryClient });
  const options = trpc.run.integrity.queryOptions({ id: "r" }, { staleTime: 1e9 });
  const ask = (status: string) => queryClient.fetchQuery(keyedBy(options, status, 1));
  expect(await ask("running")).toBe(1);
  expect(await ask("running")).toBe(1);
  expect(await ask("finished")).toBe(2);
  await queryClient.invalidateQueries(trpc.run.integrity.queryFilter({ id: "r" }));
  expect(await ask("finished")).toBe(3);
  expect(asked[0]).toEqual(["run.integrity", { id: "r" }]);
});
