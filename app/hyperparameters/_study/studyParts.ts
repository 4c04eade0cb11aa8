import { choicePart, textPart } from "#app/_ui/address.ts";
import { colourings, type Coloring } from "./looks.ts";
import { methodForms } from "./prepareStudy.ts";

/** Outcome as a column key: `final.evaluation/successRate`, or `collapsed`. Empty: the default. */
export const outcomePart = textPart("y");

export const methodPart = choicePart("method", methodForms, "method");

export const coloringPart = choicePart<Coloring>(
  "color",
  colourings.map(({ value }) => value),
  "result",
);
