/** True if an action names the thing: `take mug 1 from desk 1` names `mug 1`, `take mug 12` does not. */
export function isNamed(action: string | undefined, name: string): boolean {
  return ` ${action ?? ""} `.includes(` ${name} `);
}
