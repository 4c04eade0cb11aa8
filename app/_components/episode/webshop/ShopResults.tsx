import { formatCount } from "#app/_charts/format.ts";
import { classes } from "#app/_ui/classes.ts";
import { NextMark } from "../Pressable.tsx";
import type { ShopPage } from "./readShopPage.ts";

type Props = { page: Extract<ShopPage, { kind: "results" }>; click: string | undefined };

/** Search results: one card per article that the page lists. */
export function ShopResults({ page: { pageNumber, numResults, articles }, click }: Props) {
  return (
    <div>
      <p className="mb-2 text-sm text-muted">
        Page {pageNumber}, {formatCount(numResults, "result")} in all
      </p>
      {articles.length === 0 && <p>Nothing is listed on this page.</p>}
      <ol aria-label="Results" className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-2">
        {articles.map(({ id, title, price }) => {
          const isNext = id.toLowerCase() === click;
          return (
            <li
              key={id}
              className={classes(
                "flex flex-col gap-1 rounded-md border bg-surface p-2",
                isNext ? "border-accent" : "border-line",
              )}
            >
              <span className="flex items-center justify-between gap-2 text-xs text-muted">
                <span className="font-mono">{id}</span>
                {isNext && <NextMark />}
              </span>
              <span className="font-medium">{title}</span>
              <span className="mt-auto">{price}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
