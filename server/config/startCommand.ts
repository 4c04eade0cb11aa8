/**
 * Returns the command that starts this studio, with options. The programs of an installed package set the variable,
 * which the studio's services inherit.
 */
export function sayStart(options = ""): string {
  const command = process.env["ARLARENA_START_COMMAND"] ?? "npm start";
  if (options === "") return command;
  return command === "npm start" ? `${command} -- ${options}` : `${command} ${options}`;
}
