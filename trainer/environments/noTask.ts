/** An error: the generator found no task with an environment's settings. The message names the settings. */
export class NoTask extends Error {
  override name = "NoTask";
}
