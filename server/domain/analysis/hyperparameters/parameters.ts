import { maxLevels, namedAxis, numericAxis, type Axis } from "./axis.ts";
import { nameLevel, scaleOf, type Column, type Scale } from "./column.ts";

export type Parameter = { key: string; title: string; scale: Scale; axis: Axis };

/** Excluded column, and the reason. */
export type LeftOut = { key: string; title: string } & (
  | { reason: "constant"; value: string }
  /** Column `by` determines this column. `isMutual`: each determines the other. */
  | { reason: "determined"; by: string; isMutual: boolean }
  | { reason: "tooMany"; numLevels: number }
  | { reason: "gaps" }
);

export type Choice = { parameters: Parameter[]; leftOut: LeftOut[] };

/** Chooses columns with separable effects; of two columns that always change together, the first. */
export function chooseParameters(columns: readonly Column[]): Choice {
  const choice: Choice = { parameters: [], leftOut: [] };
  const kept: Kept[] = [];
  for (const column of columns) {
    const found = studyColumn(column, kept);
    if ("reason" in found) {
      choice.leftOut.push(found);
      continue;
    }
    choice.parameters.push(found);
    kept.push({ ...column, scale: found.scale });
  }
  return choice;
}

type Kept = Column & Pick<Parameter, "scale">;

function studyColumn({ key, title, values }: Column, kept: readonly Kept[]): Parameter | LeftOut {
  const scale = scaleOf(values);
  const name = { key, title };
  if (scale.levels.length < 2) return { ...name, reason: "constant", value: String(scale.levels[0] ?? "") };
  if (scale.kind === "named" && scale.levels.length > Math.min(maxLevels, values.length / 2)) {
    return { ...name, reason: "tooMany", numLevels: scale.levels.length };
  }
  if (scale.kind === "numeric" && values.includes(null)) return { ...name, reason: "gaps" };
  const by = kept.find((other) => isGridLike(other) && isDetermined(values, other.values));
  if (by) return { ...name, reason: "determined", by: by.title, isMutual: isDetermined(by.values, values) };
  return { ...name, scale, axis: toAxis(values, scale) };
}

/** True for names and few distinct numbers. A number of its own for every run would determine all columns. */
function isGridLike({ scale }: Kept): boolean {
  return scale.kind === "named" || scale.isGrid;
}

/** True if runs with equal values in `by` also have equal values here. */
function isDetermined(values: Column["values"], by: Column["values"]): boolean {
  const seen = new Map<string, string>();
  return values.every((value, i) => {
    const [level, name] = [nameLevel(by[i] ?? null), nameLevel(value)];
    const before = seen.get(level);
    seen.set(level, name);
    return before === undefined || before === name;
  });
}

function toAxis(values: Column["values"], scale: Scale): Axis {
  if (scale.kind === "named") return namedAxis(values.map(nameLevel));
  const coordinates = values.map((value) => (scale.isLog ? Math.log10(Number(value)) : Number(value)));
  return numericAxis(coordinates, scale.isGrid ? "ordered" : "interval");
}
