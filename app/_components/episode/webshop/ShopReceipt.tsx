import { formatValue } from "#app/_charts/format.ts";
import type { ShopPage } from "./readShopPage.ts";

/** The article that the policy bought, the options it chose, and its score. */
export function ShopReceipt({ page: { asin, options, score } }: { page: Extract<ShopPage, { kind: "receipt" }> }) {
  const rows = [["Article", asin], ...options, ["Score", `${formatValue(score)} of 1`]];
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
