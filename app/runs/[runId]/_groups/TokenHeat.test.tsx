import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, expect, it } from "vitest";
import { loadDrawing } from "#app/_charts/LazyDrawing.tsx";
import { FixedWidth } from "#app/_charts/Measured.tsx";
import { countToken, emptyCounts } from "#trainer/spec/tokenBins.ts";
import { TokenHeat } from "./TokenHeat.tsx";

beforeAll(loadDrawing);

it("draws a cell for each bin with tokens, and says in words what the colours show", () => {
  const counts = emptyCounts();
  for (const logRatio of [0, 0, 0.15]) countToken(counts, { logRatio, advantage: 1 });
  const columns = [5, 10].map((iteration) => ({ from: iteration, to: iteration, counts }));
  const html = renderToStaticMarkup(
    <FixedWidth value={640}>
      <TokenHeat name="logRatio" columns={columns} />
    </FixedWidth>,
  );
  const cells = [...html.matchAll(/<rect [^>]*fill-opacity="([\d.]+)"[^>]*><title>([^<]+)</g)];
  expect(cells.map(([, opacity]) => Number(opacity))).toEqual([1, Math.sqrt(1 / 2), 1, Math.sqrt(1 / 2)]);
  expect(cells[1]?.[2]).toMatch(/^iteration 5: 0\.100 to 0\.178, 1 token/);
  expect(html).toMatch(/90\s% of the tokens are within ±0\.178 in iteration 5, and within ±0\.178 in iteration 10\./);
  expect(html).toContain('<figure aria-label="Log-ratio of all trained tokens"');
});
