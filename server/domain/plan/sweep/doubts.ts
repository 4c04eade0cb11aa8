import type { Cell } from "./cell.ts";
import { formatCount } from "#packages/base";

/** Number of iterations above which a budget is questioned: at one second per iteration, it takes twelve days. */
const manyIterations = 1_000_000;

/** Lists warnings about settings that are valid but rarely intended. Cells of external trainers are not checked. */
export function listDoubts(cells: readonly Pick<Cell, "spec">[]): string[] {
  const ours = cells.map(({ spec }) => spec).filter(({ trainer }) => trainer === undefined);
  const count = (isMeant: (spec: Cell["spec"]) => boolean) => ours.filter(isMeant).length;
  const some = (number: number) =>
    number === cells.length
      ? "Every configuration has"
      : `${number} of ${cells.length} configurations ${number === 1 ? "has" : "have"}`;
  const still = count(({ optimizer }) => optimizer.learningRate === 0);
  const none = count(({ budget }) => budget.iterations === 0);
  const most = Math.max(0, ...ours.map(({ budget }) => budget.iterations));
  return [
    ...(still > 0 ? [`${some(still)} learning rate 0: the policy never changes.`] : []),
    ...(none > 0 ? [`${some(none)} 0 iterations: runs are evaluated once and not trained.`] : []),
    ...(most >= manyIterations ? [`A run trains for ${formatCount(most, "iteration")}: training may take weeks.`] : []),
  ];
}
