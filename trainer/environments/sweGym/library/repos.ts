import { makeFunctions, type Library } from "./function.ts";

const functionsOf: Readonly<Record<string, { modules: string; sources: Readonly<Record<string, string>> }>> = {
  pandas: {
    modules: "series frame stats index group merge",
    sources: {
      "mean(values: numbers)": `let total = 0;
for (const value of values) total += value;
return total / values.length;`,
      "diff(values: numbers)": `return values.map((value, i) => i > 0 ? value - values[i - 1] : 0);`,
      "fill(values: gaps, other: small)": `return values.map((value) => value ?? other);`,
      "rank(values: numbers, limit: number)": `let rank = 1;
for (const value of values) if (value < limit) rank += 1;
return rank;`,
      "center(values: numbers)": `const middle = mean(values);
return values.map((value) => value - middle);`,
      "spread(values: numbers)": `const around = center(values);
return Math.max(...around) - Math.min(...around);`,
    },
  },
  moto: {
    modules: "bucket queue table role stack event",
    sources: {
      "usage(bucket: record)": `let total = 0;
for (const key of Object.keys(bucket)) total += bucket[key];
return total;`,
      "page(items: numbers, start: position, size: small)": `const end = start + size;
return items.slice(start, end);`,
      "status(code: code)": `if (code >= 500) return "error";
return code >= 400 ? "denied" : "ok";`,
      "put(bucket: record, key: word, value: number)": `return { ...bucket, [key]: value + 1 };`,
      "quota(bucket: record, limit: number)": `return Math.max(limit - usage(bucket), 0);`,
      "accepts(bucket: record, limit: number, size: small)": `return size <= quota(bucket, limit);`,
    },
  },
  mypy: {
    modules: "types checker infer scope solver plugin",
    sources: {
      "kindOf(value: value)": `if (Array.isArray(value)) return "list";
return value === null ? "none" : typeof value;`,
      "matches(left: word, right: word)": `return left === right || right === "any";`,
      "arity(kinds: words, limit: small)": `const given = kinds.filter((kind) => kind !== "none");
return Math.min(given.length, limit);`,
      "isUnion(kinds: words)": `return kinds.length > 1 && !kinds.includes("any");`,
      "fits(left: value, right: value)": `return matches(kindOf(left), kindOf(right));`,
      "allFit(values: lists, other: value)": `return values.every((value) => fits(value, other));`,
    },
  },
  monai: {
    modules: "transform image mask crop blend grid",
    sources: {
      "scale(values: numbers, factor: small)": `return values.map((value) => value * factor);`,
      "clip(values: numbers, low: small, high: number)": `return values.map((value) => Math.max(low, Math.min(high, value)));`,
      "pad(values: numbers, size: number)": `const padded = [...values];
while (padded.length < size) padded.push(0);
return padded;`,
      "flip(values: numbers)": `const last = values.length - 1;
return values.map((value, i) => values[last - i]);`,
      "shift(values: numbers, low: small, high: number)": `return clip(values, low, high).map((value) => value - low);`,
      "peak(values: numbers, low: small, high: number)": `return Math.max(0, ...shift(values, low, high));`,
    },
  },
  pydantic: {
    modules: "model field validator schema config parser",
    sources: {
      "inRange(value: number, low: small, high: number)": `return value >= low && value <= high;`,
      "missing(model: record, keys: words)": `return keys.filter((key) => !(key in model));`,
      "read(model: record, key: word, other: small)": `return model[key] ?? other;`,
      "toFlag(value: value)": `return value === "yes" || value === 1;`,
      "errors(values: numbers, low: small, high: number)": `const wrong = values.filter((value) => !inRange(value, low, high));
return wrong.length;`,
      "isValid(values: numbers, low: small, high: number)": `return errors(values, low, high) === 0;`,
    },
  },
  conan: {
    modules: "version recipe graph remote profile cache",
    sources: {
      "compare(left: version, right: version)": `for (let i = 0; i < left.length; i++) {
  if (left[i] !== right[i]) return left[i] - right[i];
}
return 0;`,
      "bump(version: version, part: position)": `const next = version.slice(0, part + 1);
next[part] = (next[part] ?? 0) + 1;
return next;`,
      "isStable(version: version)": `return version[0] >= 1 && version.length === 3;`,
      "major(version: version, other: small)": `return version[0] > 0 ? version[0] : other;`,
      "isNewer(left: version, right: version)": `return compare(left, right) > 0;`,
      "newest(left: version, right: version)": `return isNewer(left, right) ? left : right;`,
    },
  },
  bokeh: {
    modules: "range scale axis plot tool legend",
    sources: {
      "span(low: number, high: number)": `return Math.abs(high - low) + 1;`,
      "toPixel(value: number, low: small, size: small)": `return (value - low) * size;`,
      "ticks(low: small, high: number, step: small)": `const marks = [];
for (let at = low; at <= high; at += step) marks.push(at);
return marks;`,
      "contains(low: small, high: number, value: number)": `return low <= value && value < high;`,
      "zoom(low: number, high: number, factor: small)": `return span(low, high) * factor;`,
      "margin(low: number, high: number, factor: small)": `return high + zoom(low, high, factor);`,
    },
  },
  dvc: {
    modules: "track stage remote lock repo output",
    sources: {
      "changed(before: record, after: record)": `const names = Object.keys(after);
return names.filter((name) => before[name] !== after[name]);`,
      "removed(before: record, after: record)": `return Object.keys(before).filter((name) => !(name in after));`,
      "largest(files: record)": `return Math.max(0, ...Object.values(files));`,
      "commit(files: record, name: word)": `const version = files[name] ?? 0;
return { ...files, [name]: version + 1 };`,
      "isDirty(before: record, after: record)": `return changed(before, after).length > 0;`,
      "report(before: record, after: record)": `return isDirty(before, after) ? "changed" : "clean";`,
    },
  },
  modin: {
    modules: "parts frame shuffle reduce engine io",
    sources: {
      "partOf(index: number, size: small)": `return Math.floor(index / size);`,
      "lengths(parts: lists)": `return parts.map((part) => part.length);`,
      "splitAt(items: numbers, at: small)": `return [items.slice(0, at), items.slice(at)];`,
      "joined(parts: lists)": `let all = [];
for (const part of parts) all = all.concat(part);
return all;`,
      "offset(index: number, size: small)": `return index - partOf(index, size) * size;`,
      "locate(index: number, size: small)": `return [partOf(index, size), offset(index, size)];`,
    },
  },
  dask: {
    modules: "graph worker chunk plan store delayed",
    sources: {
      "chunks(size: number, step: small)": `return Math.ceil(size / step);`,
      "cost(sizes: numbers, speed: small)": `let total = 0;
for (const size of sizes) total += size * speed;
return total;`,
      "ready(graph: graph, done: words)": `const isDone = (key) => done.includes(key);
return Object.keys(graph).filter((key) => graph[key].every(isDone));`,
      "degree(graph: graph, key: word)": `const below = graph[key] ?? [];
return below.length + 1;`,
      "workers(size: number, step: small, limit: small)": `return Math.min(chunks(size, step), limit);`,
      "idle(size: number, step: small, limit: small)": `return limit - workers(size, step, limit);`,
    },
  },
  hydra: {
    modules: "config compose override defaults group launcher",
    sources: {
      "merge(base: record, other: record)": `return { ...base, ...other };`,
      "lookup(config: record, key: word, other: small)": `return key in config ? config[key] : other;`,
      "select(config: record, keys: words)": `const chosen = keys.filter((key) => key in config);
return chosen.map((key) => config[key]);`,
      "overrides(base: record, other: record)": `return Object.keys(other).filter((key) => base[key] !== other[key]);`,
      "resolve(base: record, other: record, key: word)": `return lookup(merge(base, other), key, 0);`,
      "weight(base: record, other: record, keys: words)": `let total = 0;
for (const key of keys) total += resolve(base, other, key);
return total;`,
    },
  },
};

/** Modules that any repository can have besides its own; they are never the ones with a bug. */
const commonSources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lists: {
    "first(items: numbers)": `return items[0];`,
    "last(items: numbers)": `return items[items.length - 1];`,
    "take(items: numbers, count: small)": `return items.slice(0, count);`,
    "without(items: words, item: word)": `return items.filter((other) => other !== item);`,
    "unique(items: numbers)": `return [...new Set(items)];`,
    "ends(items: numbers)": `return [items[0], items[items.length - 1]];`,
  },
  numbers: {
    "clamp(value: number, low: small, high: number)": `return Math.max(low, Math.min(high, value));`,
    "isEven(value: number)": `return value % 2 === 0;`,
    "sumOf(values: numbers)": `return values.reduce((total, value) => total + value, 0);`,
    "square(value: number)": `return value * value;`,
    "gap(left: number, right: number)": `return Math.abs(left - right);`,
    "half(value: number)": `return Math.floor(value / 2);`,
  },
  maps: {
    "sizeOf(record: record)": `return Object.keys(record).length;`,
    "has(record: record, key: word)": `return key in record;`,
    "at(record: record, key: word)": `return record[key] ?? 0;`,
    "namesOf(record: record)": `return Object.keys(record);`,
    "amounts(record: record)": `return Object.values(record);`,
    "drop(record: record, key: word)": `return Object.keys(record).filter((name) => name !== key);`,
  },
  checks: {
    "isEmpty(items: lists)": `return items.length === 0;`,
    "allPositive(values: numbers)": `return values.every((value) => value > 0);`,
    "anyZero(values: numbers)": `return values.some((value) => value === 0);`,
    "isBetween(value: number, low: small, high: number)": `return low < value && value < high;`,
    "isSorted(values: numbers)": `return values.every((value, i) => i === 0 || values[i - 1] <= value);`,
    "isNumber(value: value)": `return typeof value === "number";`,
  },
  words: {
    "hasWord(words: words, word: word)": `return words.includes(word);`,
    "countWord(words: words, word: word)": `return words.filter((other) => other === word).length;`,
    "sortedWords(words: words)": `return [...words].sort();`,
    "pairOf(left: word, right: word)": `return [left, right];`,
    "isSame(left: word, right: word)": `return left === right;`,
    "reversed(words: words)": `return [...words].reverse();`,
  },
};

export const libraries: Readonly<Record<string, Library>> = Object.fromEntries(
  Object.entries(functionsOf).map(([repo, { modules, sources }]) => [
    repo,
    { repo, modules: modules.split(" "), functions: makeFunctions(sources) },
  ]),
);

/** Modules by name, six functions each. */
export const commonModules = Object.entries(commonSources).map(([name, sources]) => ({
  name,
  functions: makeFunctions(sources),
}));

/** Kept for the tasks of kinds that training never shows. */
export const heldOutRepos = ["dask", "hydra"] as const;
