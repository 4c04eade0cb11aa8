import type { ReactNode } from "react";
import { Icon } from "#app/_ui/Icon.tsx";
import { NextMark, Pressable } from "../Pressable.tsx";
import { readCommand, type Shop } from "./readShop.ts";
import { ShopItem } from "./ShopItem.tsx";
import { ShopReceipt } from "./ShopReceipt.tsx";
import { ShopResults } from "./ShopResults.tsx";

/** A page of WebShop as a shopper sees it. `action` is the next action, if it is known; its target is marked. */
export function ShopDrawing({ shop, action }: { shop: Shop; action: string | undefined }) {
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
      <PageBody shop={shop} click={click} />
    </div>
  );
}

function PageBody({ shop: { page, chosen, detail }, click }: { shop: Shop; click: string | undefined }): ReactNode {
  switch (page.kind) {
    case "search":
      return null;
    case "results":
      return <ShopResults page={page} click={click} />;
    case "item":
      return (
        <ShopItem page={page} chosen={chosen} click={click}>
          <Buttons texts={page.buttons.filter((text) => !isOfNavigation(text))} click={click} />
        </ShopItem>
      );
    case "detail":
      return <Detail texts={page.texts} name={detail} />;
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
      <span className="sr-only">{isSearchedNext ? "Searched for next:" : "Search:"}</span>
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

function Detail({ texts, name = "details" }: { texts: readonly string[]; name: string | undefined }) {
  return (
    <div>
      <p className="font-semibold first-letter:uppercase">{name}</p>
      {texts.length === 0 ? (
        <p className="text-muted">There are none.</p>
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
