import type { Metadata } from "next";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import { type PageProps, toSearchParams } from "#app/_ui/address.ts";
import { developerFigurePage } from "#server/domain/pages.ts";
import { FigurePanes } from "../FigurePanes.tsx";

export const metadata: Metadata = { title: "Figure" };

type Props = PageProps & { params: Promise<{ figure: string }> };

/** Page of one figure: `?theme=dark` shows one theme, `?width=340` draws at this width. */
export default async function FigurePage({ params, searchParams }: Props) {
  const [{ figure }, query] = await Promise.all([params, searchParams]);
  const asked = toSearchParams(query);
  const width = Number(asked.get("width"));
  const themes = (["light", "dark"] as const).filter((theme) => (asked.get("theme") ?? theme) === theme);
  return (
    <ChosenSweeps
      path={developerFigurePage(figure)}
      query={query}
      title="Figure"
      empty="Figures are drawn from stored runs."
      study="table3"
    >
      {(sweepIds) => (
        <FigurePanes name={figure} {...{ sweepIds, themes }} {...(width >= 100 && width <= 4000 && { width })} />
      )}
    </ChosenSweeps>
  );
}
