/** A value that is stored in the page's URL: parses it from the search parameters and writes it into them. */
export type AddressPart<Value> = {
  /** Parses the value. Invalid values count as missing, so that an old link never breaks a page. */
  parse: (query: URLSearchParams) => Value;
  /** Returns the parameters with the value written into them; other parameters stay unchanged. */
  write: (query: URLSearchParams, value: Value) => URLSearchParams;
  /** True if the server also renders the page by this value; a change then requests the page again. */
  isReadByServer?: boolean;
  /** Parameters that change with every keystroke or pointer movement; their changes create no history entries. */
  continuous?: readonly string[];
};

/** Returns true if a URL change becomes a history entry: a parameter that is not continuous differs. */
export function isChoice(before: URLSearchParams, after: URLSearchParams, continuous: readonly string[] = []): boolean {
  const names = new Set([...before.keys(), ...after.keys()]);
  const differs = (name: string) => before.getAll(name).join("\n") !== after.getAll(name).join("\n");
  return [...names].some((name) => differs(name) && !continuous.includes(name));
}

/** URL parameter for a text, omitted while the text is empty. */
export function textPart(name: string): AddressPart<string> {
  return { parse: (query) => query.get(name) ?? "", write: (query, value) => withValue(query, name, value) };
}

/** URL parameter for a search text that is updated with every keystroke. */
export function typedPart(name: string): AddressPart<string> {
  return { ...textPart(name), continuous: [name] };
}

/** URL parameter for one of several values, omitted at its default. */
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

/** URL parameter for one of a control's options, omitted at its default. */
export function optionPart<Value extends string>(
  name: string,
  options: readonly { value: Value }[],
  usual: Value,
): AddressPart<Value> {
  return choicePart(
    name,
    Array.from(options, ({ value }) => value),
    usual,
  );
}

/** URL parameter for the open tab; omitted while it is the tab `usual`. */
export function tabPart<Value extends string>(tabs: readonly { value: Value }[], usual: Value): AddressPart<Value> {
  return optionPart("tab", tabs, usual);
}

/** Joins texts by commas for a URL parameter; commas inside a text are escaped. */
export function joinList(items: Iterable<string>): string {
  return Array.from(items, (item) => item.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

export function splitList(text: string): string[] {
  return text.split(",").flatMap((item) => (item === "" ? [] : [item.replaceAll("%2C", ",").replaceAll("%25", "%")]));
}

/** URL parameter for a list of texts, joined by commas. */
export function listPart(name: string): AddressPart<string[]> {
  return {
    parse: (query) => splitList(query.get(name) ?? ""),
    write: (query, items) => withValue(query, name, joinList(items)),
  };
}

/** URL parameters for the sweeps of a page. A change removes `dependent` parameters, which refer to the old sweeps. */
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

/** Returns the parameters with one set, or removed if the value is empty. */
export function withValue(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const written = new URLSearchParams(query);
  if (value === "") written.delete(name);
  else written.set(name, value);
  return written;
}

export type PageQuery = Record<string, string | string[] | undefined>;

export type PageProps = { searchParams: Promise<PageQuery> };

export function toSearchParams(query: PageQuery): URLSearchParams {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((text) => [name, text]));
  return new URLSearchParams(pairs);
}

export function toAddress(path: string, query: PageQuery): string {
  const text = toSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}
