import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { refreshRows } from "./refreshRows.ts";

it("fetches rows and groups again, but neither the falling count nor a refused filter", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  const asked: string[] = [];
  const shown: unknown[] = [];
  const show = (part: string, answer: () => unknown) => {
    const queryFn = async () => {
      asked.push(part);
      return answer();
    };
    const observer = new QueryObserver<unknown>(client, { queryKey: [["runTable", part], {}], queryFn });
    observer.subscribe(({ data, error }) => shown.push(data ?? error));
  };
  // Runs are labelled all the time, so that every answer is smaller than the one before.
  let numBehind = 5;
  show("numBehind", () => --numBehind);
  show("groups", () => ["GRPO"]);
  show("rows", () => ["run"]);
  const refused = new QueryObserver(client, {
    queryKey: [["runTable", "rows"], { filter: "refused" }],
    queryFn: () => Promise.reject(new Error("refused")),
  });
  refused.subscribe(({ error }) => shown.push(error));
  await expect.poll(() => client.isFetching()).toBe(0);
  asked.length = 0;
  shown.length = 0;
  await refreshRows(client, {
    rows: { queryKey: [["runTable", "rows"]] },
    groups: { queryKey: [["runTable", "groups"]] },
  });
  expect(asked.toSorted()).toEqual(["groups", "rows"]);
  // No part was empty meanwhile.
  expect(shown).not.toContain(null);
  expect(shown).not.toContain(undefined);
});
