import type { ComponentType } from "react";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps } from "#app/_ui/address.ts";
import { Studied } from "./Studied.tsx";

type Page = Pick<Parameters<typeof ChosenSweeps>[0], "path" | "title" | "empty" | "study" | "prefetch"> & {
  View: ComponentType<{ sweepIds: string[] }>;
};

/** Makes a page that analyses the sweeps in its URL. */
export function makeStudiedPage({ View, ...page }: Page) {
  return async function StudiedPage({ searchParams }: PageProps) {
    return (
      <ChosenSweeps {...page} query={await searchParams}>
        {(sweepIds) => (
          <Studied title={page.title} sweepIds={sweepIds}>
            <View sweepIds={sweepIds} />
          </Studied>
        )}
      </ChosenSweeps>
    );
  };
}
