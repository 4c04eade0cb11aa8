import type { ComponentType } from "react";
import { questionOptions } from "#server/domain/analysis/questionOptions.ts";
import { questions } from "#server/domain/analysis/questions.ts";
import { questionPages, type PageQuestion } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { PageProps, PageQuery } from "#app/_ui/address.ts";
import { Studied } from "./Studied.tsx";

type Page = Pick<Parameters<typeof ChosenSweeps>[0], "empty" | "study" | "prefetch"> & {
  question: PageQuestion;
  /** Title if it is not that of the question. */
  title?: string;
  /** URL parameters that are added if the URL contains no sweep. */
  defaults?: PageQuery;
  View: ComponentType<{ sweepIds: string[] }>;
};

/** Makes a page that answers a question about the sweeps in its URL. */
export function makeStudiedPage({ question, title = questions[question].title, View, defaults, ...page }: Page) {
  const options = Object.keys(questionOptions[question].shape);
  return async function StudiedPage({ searchParams }: PageProps) {
    const asked = await searchParams;
    const query = asked["sweep"] === undefined ? { ...defaults, ...asked } : asked;
    return (
      <ChosenSweeps {...page} path={questionPages[question]} title={title} query={query}>
        {(sweepIds) => (
          <Studied {...{ title, sweepIds, shared: { question, options } }}>
            <View sweepIds={sweepIds} />
          </Studied>
        )}
      </ChosenSweeps>
    );
  };
}
