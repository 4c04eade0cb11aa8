/** Groups of origins. By cause, intervals and tests are over configurations instead of origins. */
export const originGroupings = ["method", "cause"] as const;
export type OriginGrouping = (typeof originGroupings)[number];
