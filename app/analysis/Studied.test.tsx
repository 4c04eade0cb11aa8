import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { AppRouterContext, type AppRouterInstance } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { SearchParamsContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { AppRouter } from "#server/api/root.ts";
import { makeTrpcClient, TrpcContext } from "#app/_trpc/client.tsx";
import { ClaimsView } from "./claims/ClaimsView.tsx";
import { DimensionsView } from "./effects/dimensions/DimensionsView.tsx";

const input = { sweepIds: ["one"], metric: "rollout/entropy" };
const answer = { sentence: "No claim is decided.", leftOut: null, findings: [], numRuns: 0 };

it.each([
  ["claims", ClaimsView],
  ["dimensions", DimensionsView],
] as const)("keeps the picker of the metric at one position of %s, loading or loaded", (name, View) => {
  const queryClient = new QueryClient();
  const trpcClient = makeTrpcClient();
  const trpc = createTRPCOptionsProxy<AppRouter>({ client: trpcClient, queryClient });
  const render = () =>
    renderToStaticMarkup(
      <AppRouterContext value={{} as AppRouterInstance}>
        <SearchParamsContext value={new URLSearchParams({ metric: input.metric })}>
          <QueryClientProvider client={queryClient}>
            <TrpcContext.TRPCProvider {...{ queryClient, trpcClient }}>
              <View sweepIds={input.sweepIds} />
            </TrpcContext.TRPCProvider>
          </QueryClientProvider>
        </SearchParamsContext>
      </AppRouterContext>,
    );
  // React derives the ids of `useId` from the position in the tree.
  const positionIn = (html: string) => /<button type="button" id="([^"]*)-button"/.exec(html)?.[1];
  const loading = render();
  expect(loading).toContain("data-loading");
  queryClient.setQueryData(trpc.analysis[name].queryKey(input), answer as never);
  const loaded = render();
  expect(loaded).not.toContain("data-loading");
  expect(positionIn(loading)).toBeTruthy();
  expect(positionIn(loaded)).toBe(positionIn(loading));
});
