/** X-axes of charts. All except the iteration are sums over logged values. */
export const xAxes = ["iteration", "step", "tokens", "episodes", "time"] as const;
export type XAxis = (typeof xAxes)[number];
export type SummedAxis = Exclude<XAxis, "iteration">;
