import { builtInPieces } from "./builtIn.ts";
import { llamaPieces } from "./llama/pieces.ts";
import type { Network, Pieces } from "./network.ts";

/** Parts of a policy's pass, by its configuration. */
export function piecesOf({ parameters, config }: Network): Pieces {
  return config.architecture ? llamaPieces({ parameters, config }) : builtInPieces({ parameters, config });
}
