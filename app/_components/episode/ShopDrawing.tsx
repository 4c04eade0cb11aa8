import type { ReactNode } from "react";
import type { SceneOf, ShopPage } from "#trainer/environments/scene.ts";
import { formatCount, formatValue } from "#app/_charts/format.ts";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { NextMark, Pressable } from "./Pressable.tsx";

/** Draws a page of WebShop, and marks the button of `action`, the policy's next action, if known. */
export function ShopDrawing({ shop, action }: { shop: SceneOf<"webshop">; action: string | undefined }) {
  const { page, query } = shop;
  const click = action === undefined ? undefined : readCommand(action, "click");
  const search = action === undefined ? undefined : readCommand(action, "search");
  return (
    <div role="group" aria-label="Shop" className="flex flex-col gap-3 rounded-md border border-line p-3">
      {page.kind !== "receipt" && (
        <SearchBox
          query={search ?? query}
          isSearchedNext={search !== undefined}
          isPressedNext={page.kind === "search" && click === "search"}
        />
      )}
      {"buttons" in page && <Buttons texts={page.buttons.filter(isOfNavigation)} click={click} />}
      <PageBody page={page} click={click} />
    </div>
  );
}

function PageBody({ page, click }: { page: ShopPage; click: string | undefined }): ReactNode {
  switch (page.kind) {
    case "search":
      return null;
    case "results":
      return <ShopResults page={page} click={click} />;
    case "item":
      return (
        <ShopItem page={page} click={click}>
          <Buttons texts={page.buttons.filter((text) => !isOfNavigation(text))} click={click} />
        </ShopItem>
      );
    case "detail":
      return <Detail texts={page.texts} name={page.name} />;
    case "receipt":
      return <ShopReceipt page={page} />;
  }
}

function isOfNavigation(text: string): boolean {
  return ["Back to Search", "< Prev", "Next >"].includes(text);
}

type SearchProps = { query: string | undefined; isSearchedNext: boolean; isPressedNext: boolean };

function SearchBox({ query, isSearchedNext, isPressedNext }: SearchProps) {
  return (
    <p className="flex flex-wrap items-center gap-2">
      <span className="sr-only">{isSearchedNext ? "Next search:" : "Search:"}</span>
      <span className="flex min-h-8 min-w-0 flex-1 basis-48 items-center gap-2 rounded-md border border-edge/60 bg-surface px-2 py-1">
        <Icon name="search" className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 break-words">
          {query ?? <span className="text-muted">nothing searched for yet</span>}
        </span>
        {isSearchedNext && <NextMark />}
      </span>
      <Pressable isNext={isPressedNext}>Search</Pressable>
    </p>
  );
}

function Buttons({ texts, click }: { texts: readonly string[]; click: string | undefined }) {
  return (
    <ul aria-label="Buttons" className="flex flex-wrap gap-1.5">
      {texts.map((text) => (
        <li key={text}>
          <Pressable isNext={text.toLowerCase() === click}>{text}</Pressable>
        </li>
      ))}
    </ul>
  );
}

function Detail({ texts, name }: { texts: readonly string[]; name: string }) {
  return (
    <div>
      <p className="font-semibold first-letter:uppercase">{name}</p>
      {texts.length === 0 ? (
        <p className="text-muted">This product has no {name}.</p>
      ) : (
        <ul className="mt-1 flex max-w-[72ch] flex-col gap-1">
          {texts.map((text, i) => (
            <li key={i}>{text}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

type ResultsProps = { page: Extract<ShopPage, { kind: "results" }>; click: string | undefined };

function ShopResults({ page: { pageNumber, numResults, articles }, click }: ResultsProps) {
  return (
    <div>
      <p className="mb-2 text-sm text-muted">
        Page {pageNumber}, {formatCount(numResults, "result")} in all
      </p>
      {articles.length === 0 && <p>This page lists no products.</p>}
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

type ItemProps = {
  page: Extract<ShopPage, { kind: "item" }>;
  click: string | undefined;
  children: ReactNode;
};

/** Draws an article's page of WebShop: title, price, options (chosen ones with a check mark), and buttons. */
function ShopItem({ page: { title, price, options }, click, children }: ItemProps) {
  return (
    <article className="flex flex-col gap-2">
      <div>
        <p className="text-lg font-semibold">{title}</p>
        <p>{price}</p>
      </div>
      {options.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
          {options.map(({ name, values, chosen }) => (
            <div key={name} className="contents">
              <dt className="text-sm text-muted">{name}</dt>
              <dd className="flex flex-wrap gap-1.5">
                {values.map((value) => (
                  <Pressable key={value} isChosen={chosen === value} isNext={value.toLowerCase() === click}>
                    {value}
                  </Pressable>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {children}
      {options.length > 0 && (
        <p className="text-xs text-muted">
          Checks mark chosen options. The text that the policy reads does not show the choice.
        </p>
      )}
    </article>
  );
}

function ShopReceipt({ page: { asin, options, score } }: { page: Extract<ShopPage, { kind: "receipt" }> }) {
  const rows = [["Product", asin], ...options, ["Score", `${formatValue(score)} of 1`]];
  return (
    <div>
      <p className="text-lg font-semibold">Bought</p>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Returns the argument of WebShop's action `search[…]` or `click[…]`, in lower case as WebShop compares it. */
function readCommand(action: string, wanted: "search" | "click"): string | undefined {
  const [, verb, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
  return verb === wanted ? argument?.toLowerCase() : undefined;
}
