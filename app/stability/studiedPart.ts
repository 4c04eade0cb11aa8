import { sweepsPart } from "#app/_ui/address.ts";

/** The sweeps that the page studies. Replayed run, axes and baseline are of the former ones. */
export const studiedPart = sweepsPart(["run", "x", "y", "by", "from"]);
