/** The knobs of an environment leave no task that its generator could find; the message says which. */
export class NoTask extends Error {
  override name = "NoTask";
}
