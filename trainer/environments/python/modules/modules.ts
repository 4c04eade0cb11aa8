import { raise } from "../values/errors.ts";
import { types } from "../values/types.ts";
import type { Module, Value } from "../values/value.ts";
import { collectionsModule } from "./collections.ts";
import { functoolsModule } from "./functools.ts";
import { itertoolsModule } from "./itertools.ts";
import { mathModule } from "./math.ts";

const fractionsModule: Module = {
  kind: "module",
  name: "fractions",
  members: new Map<string, Value>([["Fraction", types.Fraction]]),
};

const modules: ReadonlyMap<string, Module> = new Map(
  [mathModule, itertoolsModule, functoolsModule, fractionsModule, collectionsModule].map((module) => [
    module.name,
    module,
  ]),
);

/** The few modules there are; nothing else can be imported. */
export function importModule(name: string): Value {
  if (name.startsWith(".")) throw raise("ImportError", "attempted relative import with no known parent package");
  const module = modules.get(name);
  if (module !== undefined) return module;
  const [parent = ""] = name.split(".");
  const detail = modules.has(parent) ? `; '${parent}' is not a package` : "";
  throw raise("ModuleNotFoundError", `No module named '${modules.has(parent) ? name : parent}'${detail}`);
}
