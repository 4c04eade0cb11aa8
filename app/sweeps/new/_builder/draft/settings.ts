import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { allFields, fieldAt, fieldsWithin, optionalPartAt } from "./fields.ts";
import { readIn, setIn, type Part } from "./sweepFile.ts";
import { formatField, parseValues, readValue } from "#app/_components/setting/texts.ts";

const baseKeys = (path: string) => ["base", ...path.split(".")];

/** Returns the values of a setting that the axes or else the base contain. */
function read(file: Part, path: string): unknown {
  return readIn(file, ["axes", path]) ?? readIn(file, baseKeys(path));
}

export function isSet(file: Part, path: string): boolean {
  const value = read(file, path);
  return value !== undefined && (value !== null || fieldAt(path)?.isNullable === true);
}

export function textOf(file: Part, path: string): string {
  const field = fieldAt(path);
  return field ? formatField(read(file, path), field) : "";
}

/** Lists the fields that the file sets, each with its text. */
export function listSet(file: Part): { field: Hyperparameter; text: string }[] {
  return allFields().flatMap((field) => (isSet(file, field.path) ? [{ field, text: textOf(file, field.path) }] : []));
}

/**
 * Sets a field's text: one value belongs to the base, several become an axis. Settings of methods and environments are
 * always axes. An empty text removes the setting. A new kind removes the settings that it lacks.
 */
export function setSetting(file: Part, path: string, text: string): Part {
  const field = fieldAt(path);
  if (!field) return file;
  const value = readValue(text, field);
  const isRead = parseValues(text, field).problem === undefined;
  const isVaried = Array.isArray(value) && field.kind !== "set";
  const hasBase = !/^(method|environment)\./.test(path);
  // An axis within an optional object also needs a value in the base, so that the object exists.
  const first: unknown = isVaried && field.within ? value[0] : undefined;
  const axis = hasBase || value === undefined || isVaried || !isRead ? value : [value];
  const based = hasBase ? setIn(file, baseKeys(path), isVaried ? first : value) : file;
  const changed = setIn(based, ["axes", path], isVaried || !hasBase ? axis : undefined);
  return settleKind(path.endsWith(".kind") ? dropOthers(changed, path) : changed, path);
}

function dropOthers(file: Part, kindPath: string): Part {
  const kinds = [read(file, kindPath)].flat();
  if (kinds[0] === undefined) return file;
  const lacking = allFields().filter(
    ({ when }) => when?.path === kindPath && !when.values.some((kind) => kinds.includes(kind)),
  );
  return lacking.reduce((changed, { path }) => drop(changed, path), file);
}

function drop(file: Part, path: string): Part {
  return setIn(setIn(file, ["axes", path], undefined), baseKeys(path), undefined);
}

/** Gives a union of the base the kind that its settings need, where it has none or another. */
function settleKind(file: Part, path: string): Part {
  const kindPath = path.endsWith(".kind") ? path : fieldAt(path)?.when?.path;
  if (kindPath === undefined || kindPath.startsWith("method.") || readIn(file, ["axes", kindPath]) !== undefined)
    return file;
  const needed = allFields().flatMap(({ when, path: own }) =>
    when?.path === kindPath && readIn(file, baseKeys(own)) !== undefined ? [when.values] : [],
  );
  const kind = readIn(file, baseKeys(kindPath));
  if (needed.every((kinds) => kinds.some((one) => one === kind))) return file;
  const common = needed[0]?.find((one) => needed.every((kinds) => kinds.includes(one)));
  if (common === undefined && kind !== undefined) return file;
  return setIn(file, baseKeys(kindPath), common ?? needed[0]?.[0]);
}

export function isPartOn(file: Part, part: string): boolean {
  return fieldsWithin(part).some(({ path }) => isSet(file, path));
}

/** Gives an optional object's fields, such as `budget.split`, their initial values, or removes all values. */
export function switchPart(file: Part, part: string, isOn: boolean): Part {
  const fields = fieldsWithin(part);
  if (!isOn)
    return setIn(
      fields.reduce((changed, { path }) => drop(changed, path), file),
      baseKeys(part),
      undefined,
    );
  const { start } = optionalPartAt(part);
  return fields.reduce(
    (changed, { path }) => setSetting(changed, path, start[path.slice(part.length + 1)] ?? ""),
    file,
  );
}
