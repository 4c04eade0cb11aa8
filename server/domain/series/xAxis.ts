/** What a chart can stand over. All but the iteration are sums over what each iteration logs. */
export const xAxes = ["iteration", "step", "tokens", "episodes", "time"] as const;
export type XAxis = (typeof xAxes)[number];
export type SummedAxis = Exclude<XAxis, "iteration">;
