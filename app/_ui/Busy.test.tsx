import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { TextActions } from "#app/_components/table/TextBlock.tsx";
import { Busy } from "./Busy.tsx";

const file = { fileName: "table.tex", text: "1", type: "text/plain" };
const render = (isBusy: boolean) =>
  renderToStaticMarkup(
    <Busy isBusy={isBusy}>
      <TextActions {...file} />
    </Busy>,
  );

it("lets nobody copy or download a table while it reloads, and says why", () => {
  const buttons = render(true).match(/<button[^>]*>/g) ?? [];
  expect(buttons).toHaveLength(2);
  for (const button of buttons) expect(button).toContain('disabled="" title="Computing"');
  expect(render(true)).toContain("Computing");
  expect(render(false)).not.toContain("disabled=");
});
