/** Those of an address's `?sweep=` that exist, else the newest: there is always something to look at. Newest first. */
export function chosenSweeps(asked: string | string[] | undefined, sweeps: readonly { id: string }[]): string[] {
  const wanted = [asked ?? []].flat().filter((id) => sweeps.some((one) => one.id === id));
  return wanted.length > 0 ? wanted : sweeps.slice(0, 1).map(({ id }) => id);
}
