/** Explanation why a base path does not work: pages, forms and streams use addresses from the root. */
export function sayBasePath(path: string): string {
  return `ARLArena Studio does not work below a path such as ${path}: give it a host name or a port of its own (docs/people.md)`;
}

/** Base path set in the environment; undefined if there is none. */
export function findBasePath(environment: NodeJS.ProcessEnv): string | undefined {
  const named = environment["ARLARENA_BASE_PATH"] ?? "";
  if (named !== "" && named !== "/") return `ARLARENA_BASE_PATH=${named}: ${sayBasePath(named)}`;
  const host = (environment["ARLARENA_HOSTS"] ?? "").split(",").find((one) => one.includes("/"));
  if (host === undefined) return undefined;
  const path = host.replace(/^https?:\/\//, "").replace(/^[^/]*/, "");
  if (path === "" || path === "/")
    return `ARLARENA_HOSTS: ${host} is an address, a host name is needed, as studio.example.org`;
  return `ARLARENA_HOSTS=${host}: ${sayBasePath(path)}`;
}
