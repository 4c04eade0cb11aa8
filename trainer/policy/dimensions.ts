/** Dimensions that determine the shapes of a transformer's parameters. */
export type Dimensions = {
  readonly numLayers: number;
  readonly width: number;
  readonly numHeads: number;
  /** Heads of keys and values, shared by groups of queries (arXiv:2305.13245); else the number of heads. */
  readonly numKeyValueHeads: number;
  readonly headWidth: number;
  readonly feedForwardWidth: number;
};
