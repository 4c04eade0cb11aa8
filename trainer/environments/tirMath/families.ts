import type { MathFamily } from "#trainer/spec/environments/tirMath.ts";
import type { Template } from "./template.ts";
import { algebra } from "./templates/algebra.ts";
import { counting } from "./templates/counting.ts";
import { geometry } from "./templates/geometry.ts";
import { intermediate } from "./templates/intermediate.ts";
import { numberTheory } from "./templates/numberTheory.ts";
import { prealgebra } from "./templates/prealgebra.ts";
import { precalculus } from "./templates/precalculus.ts";

/** The templates of every subject. */
export const families: Readonly<Record<MathFamily, readonly Template[]>> = {
  prealgebra: prealgebra.templates,
  algebra: algebra.templates,
  intermediate: intermediate.templates,
  number_theory: numberTheory.templates,
  counting: counting.templates,
  geometry: geometry.templates,
  precalculus: precalculus.templates,
};
