/** Dimensions that determine the shapes of a transformer's parameters. */
export type Dimensions = {
  readonly numLayers: number;
  readonly width: number;
  readonly numHeads: number;
  /**
   * Number of heads of keys and values, each shared by a group of query heads (arXiv:2305.13245). Equal to `numHeads`
   * if they are not shared.
   */
  readonly numKeyValueHeads: number;
  readonly headWidth: number;
  readonly feedForwardWidth: number;
};
