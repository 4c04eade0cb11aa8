import { opNames, type Op } from "../compile/code.ts";
import { arithmeticHandlers } from "./arithmetic.ts";
import { makeCallHandlers } from "./calls.ts";
import { controlHandlers } from "./control.ts";
import type { Handler } from "./frame.ts";
import { objectHandlers } from "./objects.ts";
import { variableHandlers } from "./variables.ts";

const byName: Readonly<Record<Op, Handler>> = {
  ...variableHandlers,
  ...arithmeticHandlers,
  ...objectHandlers,
  ...controlHandlers,
  ...makeCallHandlers(() => handlers),
};

/** What to do for each operation, by its number. */
export const handlers: readonly Handler[] = opNames.map((name) => byName[name]);
