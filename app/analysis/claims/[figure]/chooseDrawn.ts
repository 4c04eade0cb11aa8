type Known = {
  id: string;
  name: string;
  methods: readonly string[];
  environments: readonly string[];
  numCells: number;
  iterationsDone: number;
  branchedFrom?: object | undefined;
  isArchived: boolean;
};

/** True for a trained sweep that a figure may be drawn from without being asked. */
export const isOffered = ({ iterationsDone, branchedFrom, isArchived }: Omit<Known, "numCells">): boolean =>
  iterationsDone > 0 && branchedFrom === undefined && !isArchived;

/**
 * Chooses the newest trained sweep of the figure's plan, or else the one with the highest number of its methods, among
 * equals the one that compares the highest number of others. Each method that it lacks adds the newest sweep which has
 * it in the same environment. Sweeps with one configuration per method go before those that vary a method's settings;
 * sweeps of branches and archived ones are left out.
 */
export function chooseDrawn(
  sweeps: readonly Known[],
  planned: ReadonlySet<string>,
  methods: readonly string[] = [],
): string[] {
  const trained = sweeps.filter(isOffered).toSorted((a, b) => Number(isVaried(a)) - Number(isVaried(b)));
  const count = (one: Known) => methods.filter((name) => one.methods.includes(name)).length;
  const [first] = trained.toSorted(
    (a, b) =>
      Number(planned.has(b.name)) - Number(planned.has(a.name)) ||
      count(b) - count(a) ||
      Math.sign(count(a)) * (b.methods.length - a.methods.length),
  );
  if (!first) return [];
  const others = trained.filter(({ environments }) => environments.some((one) => first.environments.includes(one)));
  const chosen = [first];
  for (const name of methods) {
    if (chosen.some((one) => one.methods.includes(name))) continue;
    chosen.push(...others.filter((one) => one.methods.includes(name)).slice(0, 1));
  }
  return chosen.map(({ id }) => id);
}

/** True if a method has several configurations in an environment. */
const isVaried = ({ methods, environments, numCells }: Known) => numCells > methods.length * environments.length;
