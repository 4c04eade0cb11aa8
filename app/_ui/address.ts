/** One value that lives in the page's address: how it is read from search parameters and written into them. */
export type AddressPart<Value> = {
  /** What cannot be read counts as not given: an old link never breaks a page. */
  parse: (query: URLSearchParams) => Value;
  /** The parameters with this value in them; other parts of the address stay. */
  write: (query: URLSearchParams, value: Value) => URLSearchParams;
  /** Set where the server's page reads the value too: it is then asked for the page again. */
  isReadByServer?: boolean;
  /** Its parameters that change with every key or movement: they make no entry of the history. */
  continuous?: readonly string[];
};

/** True where the back button must undo a change of the address: more than continuous parameters differ. */
export function isChoice(before: URLSearchParams, after: URLSearchParams, continuous: readonly string[] = []): boolean {
  const names = new Set([...before.keys(), ...after.keys()]);
  const differs = (name: string) => before.getAll(name).join("\n") !== after.getAll(name).join("\n");
  return [...names].some((name) => differs(name) && !continuous.includes(name));
}

/** A text; absent while it is empty. */
export function textPart(name: string): AddressPart<string> {
  return { parse: (query) => query.get(name) ?? "", write: (query, value) => withValue(query, name, value) };
}

/** A text that is searched for while it is typed. */
export function typedPart(name: string): AddressPart<string> {
  return { ...textPart(name), continuous: [name] };
}

/** One of several values; absent while it is the usual one. */
export function choicePart<Value extends string>(
  name: string,
  values: readonly Value[],
  usual: Value,
): AddressPart<Value> {
  return {
    parse: (query) => values.find((value) => value === query.get(name)) ?? usual,
    write: (query, value) => withValue(query, name, value === usual ? "" : value),
  };
}

/** The tab that is open; absent while it is the usual one. */
export function tabPart<Value extends string>(tabs: readonly { value: Value }[], usual: Value): AddressPart<Value> {
  return choicePart(
    "tab",
    tabs.map(({ value }) => value),
    usual,
  );
}

/** Several values as one text, separated by commas; a comma of a value is escaped. */
export function joinList(items: Iterable<string>): string {
  return Array.from(items, (item) => item.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

export function splitList(text: string): string[] {
  return text.split(",").flatMap((item) => (item === "" ? [] : [item.replaceAll("%2C", ",").replaceAll("%25", "%")]));
}

/** Several values in one parameter. */
export function listPart(name: string): AddressPart<string[]> {
  return {
    parse: (query) => splitList(query.get(name) ?? ""),
    write: (query, items) => withValue(query, name, joinList(items)),
  };
}

/** The sweeps that a page is about, one parameter each. Parameters about the former sweeps' rows, runs or lines go with them. */
export function sweepsPart(dependent: readonly string[]): AddressPart<readonly string[]> {
  return {
    parse: (query) => query.getAll("sweep"),
    write: (query, ids) => {
      const written = new URLSearchParams(query);
      for (const name of ["sweep", ...dependent]) written.delete(name);
      for (const id of ids) written.append("sweep", id);
      return written;
    },
    isReadByServer: true,
  };
}

function withValue(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const written = new URLSearchParams(query);
  if (value === "") written.delete(name);
  else written.set(name, value);
  return written;
}

/** Search parameters as Next.js passes them to a page. */
export type PageQuery = Record<string, string | string[] | undefined>;

export function toSearchParams(query: PageQuery): URLSearchParams {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]));
  return new URLSearchParams(pairs);
}

/** @returns the address of a page as it was asked for, to come back to */
export function toAddress(path: string, query: PageQuery): string {
  const text = toSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}
