import { useState } from "react";
import { isMethodName, type Method, methodNames, methodOf, methods } from "#trainer/spec/method.ts";
import { type Coupling, couplings } from "#server/domain/plan/sweep/methods/couplings.ts";
import {
  type Dimension,
  type DimensionId,
  dimensionTexts,
  type Level,
} from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { MethodVariant, resolveMethod } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { classes } from "#app/_ui/classes.ts";
import { TextField } from "#app/_ui/Field.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { Corrections } from "./Corrections.tsx";
import { addPoint, onlyPoint } from "./draft/edits.ts";
import { fieldsOfLevel } from "./draft/fields.ts";
import { defaultLevel, fillFrom, kindOf, levelsIn, setLevels, toggleLevel } from "./draft/levels.ts";
import { dimensionIds, hasGrid, methodsIn, setIn, type Part } from "./draft/sweepFile.ts";
import { Problems, useForm } from "./form.tsx";
import { LevelFields } from "./LevelFields.tsx";

const fillings: readonly Option<string>[] = [
  { value: "", label: "Tick the levels of a method…" },
  ...methodNames.map((value) => ({ value, label: methods[value].title })),
];

/** Checkboxes of levels. All combinations of checked levels are trained, in addition to the chosen methods. */
export function Dimensions() {
  const { file, edit } = useForm();
  const couplings = prepareCouplings(file);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <p className="mr-auto max-w-prose text-sm text-muted">
          Tick levels to train every combination of the ticked levels, in addition to the methods above. A dimension
          without a tick keeps GRPO&apos;s level. To vary a field, list several values: 0.2, 0.28.
        </p>
        <Choice
          label="Tick the levels of a method in all four dimensions"
          options={fillings}
          value=""
          onChange={(name) => isMethodName(name) && edit(fillFrom(file, name))}
        />
        <Button disabled={!hasGrid(file)} onClick={() => edit(setIn(file, ["grid"], undefined))}>
          Clear
        </Button>
      </div>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {dimensionTexts.map((dimension) => (
          <DimensionColumn key={dimension.id} dimension={dimension} couplings={couplings[dimension.id]} />
        ))}
      </div>
      <Corrections />
      <AddPoint />
    </>
  );
}

function DimensionColumn({ dimension, couplings }: { dimension: Dimension; couplings: readonly Coupling[] }) {
  const { file } = useForm();
  const chosen = methodsIn(file).map(resolveMethod);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2">
        <span className="block font-medium">{dimension.title}</span>
        <span className="block text-xs text-muted">{dimension.question}</span>
      </legend>
      <div className="flex flex-col gap-2">
        {couplings.map(({ text, severity }) => (
          <p key={text} className="flex gap-1.5 rounded-md bg-warn/10 px-2 py-1.5 text-xs">
            <Icon name={severity === "note" ? "info" : "warning"} className="mt-0.5 size-3.5 shrink-0 text-warn" />
            {text}
          </p>
        ))}
        <Problems field={`grid.${dimension.id}`} />
        {dimension.levels.map((level) => (
          <LevelCard
            key={level.id}
            dimension={dimension.id}
            level={level}
            users={chosen.filter(({ method }) => kindOf(method[dimension.id]) === level.id).map(({ label }) => label)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type LevelProps = {
  dimension: DimensionId;
  level: Level;
  users: readonly string[];
};

function LevelCard({ dimension, level, users }: LevelProps) {
  const { file, edit } = useForm();
  const all = levelsIn(file, dimension);
  const settings = all.flatMap((setting, i) => (kindOf(setting) === level.id ? [i] : []));
  const isTicked = settings.length > 0;
  const hasFields = fieldsOfLevel(dimension, level.id).length > 0;
  return (
    <div
      className={classes(
        "rounded-md border px-3 py-2",
        isTicked ? "border-accent bg-accent/5" : users.length > 0 ? "border-edge/60" : "border-line",
      )}
    >
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          checked={isTicked}
          onChange={() => edit(toggleLevel(file, dimension, level.id))}
        />
        <span className="min-w-0">
          <span className="font-medium">{level.title}</span>
          <span className="block text-xs text-muted">{level.sentence}</span>
        </span>
      </label>
      {users.length > 0 && <Users names={users} />}
      {hasFields &&
        settings.map((i, n) => (
          <LevelFields
            key={i}
            dimension={dimension}
            at={["grid", dimension, i]}
            title={settings.length > 1 ? `Setting ${n + 1}` : undefined}
            onRemove={() => edit(setLevels(file, dimension, all.toSpliced(i, 1)))}
          />
        ))}
      {hasFields && isTicked && (
        <button
          type="button"
          className="mt-2 ml-6 text-xs text-accent hover:underline"
          onClick={() => edit(setLevels(file, dimension, [...all, defaultLevel(dimension, level.id)]))}
        >
          Add another setting of this level
        </button>
      )}
    </div>
  );
}

const maxUsers = 4;

function Users({ names }: { names: readonly string[] }) {
  const shown = names.length > maxUsers + 1 ? names.slice(0, maxUsers) : names;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-1 pl-6">
      {shown.map((name) => (
        <MethodChip key={name} name={name} names={names} />
      ))}
      {shown.length < names.length && (
        <span className="text-xs text-muted" title={names.slice(maxUsers).join(", ")}>
          and {names.length - shown.length} more
        </span>
      )}
    </div>
  );
}

/** Button that adds the combination of checked levels as a named method; it needs exactly one combination. */
function AddPoint() {
  const { file, edit } = useForm();
  const [name, setName] = useState("");
  if (!onlyPoint(file)) return null;
  const add = () => {
    edit(addPoint(file, name.trim()));
    setName("");
  };
  return (
    <div className="mt-4 flex flex-wrap items-end gap-2 border-t border-line pt-3">
      <TextField
        label="Name of a new method with the ticked levels"
        className="w-full max-w-md"
        value={name}
        maxLength={60}
        placeholder="GSPO, wider clip"
        onChange={({ target }) => setName(target.value)}
      />
      <Button disabled={name.trim() === ""} onClick={add}>
        Add as a method
      </Button>
    </div>
  );
}

export function prepareCouplings(file: Part): Record<DimensionId, Coupling[]> {
  const chosen = [...methodsIn(file).map((choice) => resolveMethod(choice).method), ...gridPoints(file)];
  const unique = [...new Map(chosen.flatMap(couplings).map((coupling) => [coupling.text, coupling])).values()];
  // A text "X fixes Y." is omitted if a longer text says "X fixes Y; Z has no effect."
  const distinct = unique.filter(({ text }) => !unique.some((other) => other.text.startsWith(`${text.slice(0, -1)};`)));
  const of = (dimension: DimensionId) => distinct.filter((coupling) => coupling.dimension === dimension);
  return {
    aggregation: of("aggregation"),
    clipping: of("clipping"),
    advantage: of("advantage"),
    sampling: of("sampling"),
  };
}

/** Returns the methods of the checked levels, with published parameters: rules depend only on the kinds of levels. */
function gridPoints(file: Part): Method[] {
  if (dimensionIds.every((dimension) => levelsIn(file, dimension).length === 0)) return [];
  const base = methodOf("grpo");
  let points: Record<string, unknown>[] = [{}];
  for (const dimension of dimensionIds) {
    const ticked = levelsIn(file, dimension).map(kindOf);
    const kinds = ticked.length > 0 ? [...new Set(ticked)] : [kindOf(base[dimension])];
    const levels = kinds.map((kind) => defaultLevel(dimension, kind));
    points = points.flatMap((point) => levels.map((level) => ({ ...point, [dimension]: level })));
  }
  return points.flatMap((point) => {
    const parsed = MethodVariant.safeParse({ name: "point", ...point });
    return parsed.success ? [resolveMethod(parsed.data).method] : [];
  });
}
