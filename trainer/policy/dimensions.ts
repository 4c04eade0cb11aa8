/** What the shapes of a transformer's parameters follow from. */
export type Dimensions = {
  readonly numLayers: number;
  readonly width: number;
  readonly numHeads: number;
  /** Keys and values that the queries share in groups (arXiv:2305.13245); as many as heads where none are shared. */
  readonly numKeyValueHeads: number;
  readonly headWidth: number;
  readonly feedForwardWidth: number;
};
