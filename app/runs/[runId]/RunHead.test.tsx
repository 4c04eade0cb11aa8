import { SearchParamsContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { FactsLinks, formatIntegrity } from "./RunHead.tsx";

const attempt = (numMetricLines: number, numRejected: number, written?: number) => ({
  numMetricLines,
  numRejected,
  done: written === undefined ? null : { numMetricLines: written },
});

it.each([
  [[attempt(479, 0, 480)], "479 lines stored ≠ 480 written"],
  [[attempt(480, 1, 480)], "1 line could not be read"],
  [[attempt(12, 2)], "2 lines could not be read"],
  [[attempt(480, 0, 480)], null],
  [[attempt(12, 0)], null],
  [[], null],
])("says only what is missing of the lines written", (attempts, text) => {
  expect(formatIntegrity(attempts)).toBe(text);
});

it("links a collapsed run to its rescue, except an imported one, whose page has none", () => {
  const render = (spec: object) =>
    renderToStaticMarkup(
      <SearchParamsContext value={new URLSearchParams()}>
        <FactsLinks run={{ id: "sweep-c0-s0", spec } as never} hasFallen hasAlarm />
      </SearchParamsContext>,
    );
  expect(render({})).toContain("What would have prevented it");
  const imported = render({ kind: "imported" });
  expect(imported).toContain("Replay");
  expect(imported).not.toContain("prevented");
});
