import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { keyedBy } from "./keyedBy.ts";

it("asks anew when the state has changed, and only then, and can be invalidated by the input", async () => {
  const client = new QueryClient();
  let asked = 0;
  const options = { queryKey: [["run", "integrity"], { input: { id: "r" } }], queryFn: () => ++asked, staleTime: 1e9 };
  expect(await client.fetchQuery(keyedBy(options, "running", 1))).toBe(1);
  expect(await client.fetchQuery(keyedBy(options, "running", 1))).toBe(1);
  expect(await client.fetchQuery(keyedBy(options, "finished", 1))).toBe(2);
  await client.invalidateQueries({ queryKey: options.queryKey });
  expect(await client.fetchQuery(keyedBy(options, "finished", 1))).toBe(3);
});
