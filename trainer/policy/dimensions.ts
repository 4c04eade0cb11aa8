/** Dimensions that determine the shapes of a transformer's parameters. */
export type Dimensions = {
  readonly numLayers: number;
  readonly width: number;
  readonly numHeads: number;
  /** Key–value heads, each shared by a group of query heads (arXiv:2305.13245); without sharing `numHeads`. */
  readonly numKeyValueHeads: number;
  readonly headWidth: number;
  readonly feedForwardWidth: number;
};
