import { choicePart, textPart } from "#app/_ui/address.ts";
import { methodForms } from "./prepareStudy.ts";

/** The outcome, by its column's key: `final.evaluation/successRate`, or `collapsed`. Empty: the usual one. */
export const outcomePart = textPart("y");

export const methodPart = choicePart("method", methodForms, "method");
