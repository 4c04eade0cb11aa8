import type { ReactNode } from "react";
import { Pressable } from "../Pressable.tsx";
import type { Shop } from "./readShop.ts";
import type { ShopPage } from "./readShopPage.ts";

type Props = {
  page: Extract<ShopPage, { kind: "item" }>;
  chosen: Shop["chosen"];
  click: string | undefined;
  /** Buttons of the page. */
  children: ReactNode;
};

/** The page of one article: title, price, options as chips with a check at each chosen one, and the page's buttons. */
export function ShopItem({ page: { title, price, rating, options }, chosen, click, children }: Props) {
  return (
    <article className="flex flex-col gap-2">
      <div>
        <p className="text-lg font-semibold">{title}</p>
        <p>
          {price} <span className="ml-2 text-sm text-muted">rating {rating}</span>
        </p>
      </div>
      {options.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
          {options.map(({ name, values }) => (
            <div key={name} className="contents">
              <dt className="text-sm text-muted">{name}</dt>
              <dd className="flex flex-wrap gap-1.5">
                {values.map((value) => (
                  <Pressable key={value} isChosen={chosen.get(name) === value} isNext={value.toLowerCase() === click}>
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
          The page does not print the chosen options: the check marks are from the clicks so far.
        </p>
      )}
    </article>
  );
}
