import { makeFunctions, type Library } from "./function.ts";

const functionsOf: Readonly<Record<string, { modules: string; sources: Readonly<Record<string, string>> }>> = {
  pandas: {
    modules: "series frame stats index group merge",
    sources: {
      "mean(values: numbers)": `total = 0
for value in values:
    total += value
return total / len(values)`,
      "diff(values: numbers)": `return [value - values[i - 1] if i > 0 else 0 for i, value in enumerate(values)]`,
      "fill(values: gaps, other: small)": `return [other if value is None else value for value in values]`,
      "rank(values: numbers, limit: number)": `place = 1
for value in values:
    if value < limit:
        place += 1
return place`,
      "center(values: numbers)": `middle = mean(values)
return [value - middle for value in values]`,
      "spread(values: numbers)": `around = center(values)
return max(around) - min(around)`,
    },
  },
  moto: {
    modules: "bucket queue table role stack event",
    sources: {
      "usage(bucket: record)": `total = 0
for key in bucket:
    total += bucket[key]
return total`,
      "page(items: numbers, start: position, size: small)": `end = start + size
return items[start:end]`,
      "status(code: code)": `if code >= 500:
    return 'error'
return 'denied' if code >= 400 else 'ok'`,
      "put(bucket: record, key: word, value: number)": `return {**bucket, key: value + 1}`,
      "quota(bucket: record, limit: number)": `return max(limit - usage(bucket), 0)`,
      "accepts(bucket: record, limit: number, size: small)": `return size <= quota(bucket, limit)`,
    },
  },
  mypy: {
    modules: "types checker infer scope solver plugin",
    sources: {
      "kind_of(value: value)": `if isinstance(value, list):
    return 'list'
return 'none' if value is None else type(value).__name__`,
      "matches(left: word, right: word)": `return left == right or right == 'any'`,
      "arity(kinds: words, limit: small)": `given = 0
for kind in kinds:
    if kind != 'none':
        given += 1
return min(given, limit)`,
      "is_union(kinds: words)": `return len(kinds) > 1 and 'any' not in kinds`,
      "fits(left: value, right: value)": `return matches(kind_of(left), kind_of(right))`,
      "all_fit(values: lists, other: value)": `return all(fits(value, other) for value in values)`,
    },
  },
  monai: {
    modules: "transform image mask crop blend grid",
    sources: {
      "scale(values: numbers, factor: small)": `return [value * factor for value in values]`,
      "clip(values: numbers, low: small, high: number)": `return [max(low, min(high, value)) for value in values]`,
      "pad(values: numbers, size: number)": `padded = list(values)
while len(padded) < size:
    padded.append(0)
return padded`,
      "flip(values: numbers)": `last = len(values) - 1
return [values[last - i] for i in range(len(values))]`,
      "shift(values: numbers, low: small, high: number)": `return [value - low for value in clip(values, low, high)]`,
      "peak(values: numbers, low: small, high: number)": `return max(0, *shift(values, low, high))`,
    },
  },
  pydantic: {
    modules: "model field validator schema config parser",
    sources: {
      "in_range(value: number, low: small, high: number)": `return value >= low and value <= high`,
      "missing(model: record, keys: words)": `return [key for key in keys if key not in model]`,
      "read(model: record, key: word, other: small)": `return model.get(key, other)`,
      "to_flag(value: value)": `return value == 'yes' or value == 1`,
      "errors(values: numbers, low: small, high: number)": `wrong = 0
for value in values:
    if not in_range(value, low, high):
        wrong += 1
return wrong`,
      "is_valid(values: numbers, low: small, high: number)": `return errors(values, low, high) == 0`,
    },
  },
  conan: {
    modules: "version recipe graph remote profile cache",
    sources: {
      "compare(left: version, right: version)": `for i in range(len(left)):
    if left[i] != right[i]:
        return left[i] - right[i]
return 0`,
      "bump(version: version, part: position)": `raised = version[part] + 1
return [*version[:part], raised]`,
      "is_stable(version: version)": `return version[0] >= 1 and len(version) == 3`,
      "major(version: version, other: small)": `return version[0] if version[0] > 0 else other`,
      "is_newer(left: version, right: version)": `return compare(left, right) > 0`,
      "newest(left: version, right: version)": `return left if is_newer(left, right) else right`,
    },
  },
  bokeh: {
    modules: "range scale axis plot tool legend",
    sources: {
      "span(low: number, high: number)": `return abs(high - low) + 1`,
      "to_pixel(value: number, low: small, size: small)": `return (value - low) * size`,
      "ticks(low: small, high: number, step: small)": `marks = []
at = low
while at <= high:
    marks.append(at)
    at += step
return marks`,
      "contains(low: small, high: number, value: number)": `return low <= value and value < high`,
      "zoom(low: number, high: number, factor: small)": `return span(low, high) * factor`,
      "margin(low: number, high: number, factor: small)": `return high + zoom(low, high, factor)`,
    },
  },
  dvc: {
    modules: "track stage remote lock repo output",
    sources: {
      "changed(before: record, after: record)": `return [name for name in after if before.get(name) != after[name]]`,
      "removed(before: record, after: record)": `return [name for name in before if name not in after]`,
      "largest(files: record)": `return max(files.values(), default=0)`,
      "commit(files: record, name: word)": `version = files.get(name, 0)
return {**files, name: version + 1}`,
      "is_dirty(before: record, after: record)": `return len(changed(before, after)) > 0`,
      "report(before: record, after: record)": `return 'changed' if is_dirty(before, after) else 'clean'`,
    },
  },
  modin: {
    modules: "parts frame shuffle reduce engine io",
    sources: {
      "part_of(index: number, size: small)": `return index // size`,
      "lengths(parts: lists)": `return [len(part) for part in parts]`,
      "split_at(items: numbers, at: small)": `return [items[:at], items[at:]]`,
      "joined(parts: lists)": `whole = []
for part in parts:
    whole += part
return whole`,
      "offset(index: number, size: small)": `return index - part_of(index, size) * size`,
      "locate(index: number, size: small)": `return [part_of(index, size), offset(index, size)]`,
    },
  },
  dask: {
    modules: "graph worker chunk plan store delayed",
    sources: {
      "chunks(size: number, step: small)": `return len(range(0, size, step))`,
      "cost(sizes: numbers, speed: small)": `total = 0
for size in sizes:
    total += size * speed
return total`,
      "ready(graph: graph, done: words)": `return [key for key in graph if all(name in done for name in graph[key])]`,
      "degree(graph: graph, key: word)": `below = graph.get(key, [])
return len(below) + 1`,
      "workers(size: number, step: small, limit: small)": `return min(chunks(size, step), limit)`,
      "idle(size: number, step: small, limit: small)": `return limit - workers(size, step, limit)`,
    },
  },
  hydra: {
    modules: "config compose override defaults group launcher",
    sources: {
      "merge(base: record, other: record)": `return {**base, **other}`,
      "lookup(config: record, key: word, other: small)": `return config[key] if key in config else other`,
      "select(config: record, keys: words)": `chosen = [key for key in keys if key in config]
return [config[key] for key in chosen]`,
      "overrides(base: record, other: record)": `return [key for key in other if base.get(key) != other[key]]`,
      "resolve(base: record, other: record, key: word)": `return lookup(merge(base, other), key, 0)`,
      "weight(base: record, other: record, keys: words)": `total = 0
for key in keys:
    total += resolve(base, other, key)
return total`,
    },
  },
};

/** Source of modules that any repository can have besides its own modules. These modules never contain the bug. */
const commonSources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lists: {
    "first(items: numbers)": `return items[0]`,
    "last(items: numbers)": `return items[-1]`,
    "take(items: numbers, count: small)": `return items[:count]`,
    "without(items: words, item: word)": `return [other for other in items if other != item]`,
    "unique(items: numbers)": `return list(dict.fromkeys(items))`,
    "ends(items: numbers)": `return [items[0], items[-1]]`,
  },
  numbers: {
    "clamp(value: number, low: small, high: number)": `return max(low, min(high, value))`,
    "is_even(value: number)": `return value % 2 == 0`,
    "sum_of(values: numbers)": `return sum(values)`,
    "square(value: number)": `return value * value`,
    "gap(left: number, right: number)": `return abs(left - right)`,
    "half(value: number)": `return value // 2`,
  },
  maps: {
    "size_of(record: record)": `return len(record)`,
    "has(record: record, key: word)": `return key in record`,
    "amount(record: record, key: word)": `return record.get(key, 0)`,
    "names_of(record: record)": `return list(record)`,
    "amounts(record: record)": `return list(record.values())`,
    "drop(record: record, key: word)": `return [name for name in record if name != key]`,
  },
  checks: {
    "is_empty(items: lists)": `return len(items) == 0`,
    "all_positive(values: numbers)": `return all(value > 0 for value in values)`,
    "any_zero(values: numbers)": `return any(value == 0 for value in values)`,
    "is_between(value: number, low: small, high: number)": `return low < value < high`,
    "is_sorted(values: numbers)": `return values == sorted(values)`,
    "is_number(value: value)": `return isinstance(value, int)`,
  },
  words: {
    "has_word(words: words, word: word)": `return word in words`,
    "count_word(words: words, word: word)": `return words.count(word)`,
    "sorted_words(words: words)": `return sorted(words)`,
    "pair_of(left: word, right: word)": `return [left, right]`,
    "is_same(left: word, right: word)": `return left == right`,
    "reversed_words(words: words)": `return list(reversed(words))`,
  },
};

export const libraries: Readonly<Record<string, Library>> = Object.fromEntries(
  Object.entries(functionsOf).map(([repo, { modules, sources }]) => [
    repo,
    { repo, modules: modules.split(" "), functions: makeFunctions(sources) },
  ]),
);

/** Modules that any repository can have, by name, with six functions each. */
export const commonModules = Object.entries(commonSources).map(([name, sources]) => ({
  name,
  functions: makeFunctions(sources),
}));

/** Names of repositories whose tasks form the unseen split, held out of training. */
export const heldOutRepos = ["dask", "hydra"] as const;
