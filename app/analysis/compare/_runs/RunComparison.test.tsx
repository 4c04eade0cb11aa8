import { SearchParamsContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Missing } from "./RunComparison.tsx";

it("calls only runs deleted; a name that no configuration has links its sweep", () => {
  const names = ["my-sweep/PPO", "GRPO"];
  const html = renderToStaticMarkup(
    <SearchParamsContext value={new URLSearchParams()}>
      <Missing missing={["my-sweep-c0-s0", ...names]} cells={names} />
    </SearchParamsContext>,
  );
  const text = html.replaceAll(/<[^>]*>/g, "");
  expect(text).toContain("These runs were deleted: my-sweep-c0-s0.");
  expect(text).toContain("No configuration “PPO” with runs was found in the sweep my-sweep.");
  expect(text).toContain("No configuration “GRPO”: a name in the address is SWEEP/CONFIGURATION.");
  expect(html).toContain('href="/sweeps/my-sweep"');
});
