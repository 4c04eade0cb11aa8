import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { FigureDrawing } from "#app/_charts/FigureDrawing.tsx";
import { drawingClass } from "#app/_charts/paperSize.ts";
import { scaleOf } from "#server/domain/analysis/hyperparameters/column.ts";
import { layOut } from "./geometry.ts";
import { ParallelDrawing } from "./ParallelDrawing.tsx";
import { prepareAxis } from "./prepareAxis.ts";

const values = [1, 2];
const field = { type: "number", group: "Hyperparameter" } as const;
const axes = ["lr", "loss"].map((key) =>
  prepareAxis({ key, title: key, field, scale: scaleOf(values), values }, values),
);
const looks = { looks: [{ label: "all", color: "var(--good)" }], lookOf: [0, 0] };
const axis = { domain: [0, 1], ticks: [0, 1] } as const;

it.each<[what: string, drawing: ReactElement]>([
  [
    "parallel coordinates",
    <ParallelDrawing key="a" axes={axes} looks={looks} isBrushed={[true, true]} geometry={layOut(2, 400, 320)} />,
  ],
  [
    "any other figure",
    <FigureDrawing key="b" x={axis} y={axis} width={400} height={320}>
      {() => null}
    </FigureDrawing>,
  ],
])("a file export finds the drawing of %s, with its size", (_, drawing) => {
  const [svg = ""] = /<svg[^>]*>/.exec(renderToStaticMarkup(drawing)) ?? [];
  expect(svg).toContain(`class="${drawingClass}"`);
  expect(svg).toContain('viewBox="0 0 400 320"');
});
