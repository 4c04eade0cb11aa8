import { sweepsPart } from "#app/_ui/address.ts";

/** Sweeps of the page. The replayed run, axes and baseline belong to the previous ones. */
export const studiedPart = sweepsPart(["run", "x", "y", "by", "from"]);
