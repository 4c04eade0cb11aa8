import type { OfferedTrainer, Option as TrainerOption } from "#packages/trainers";
import type { Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import type { TrainerChoice } from "#trainer/spec/run.ts";
import { ChoiceField } from "#app/_ui/Choice.tsx";
import { formatCount } from "#packages/base";
import { setIn } from "./draft/sweepFile.ts";
import { useForm } from "./form.tsx";
import { LevelField } from "./LevelFields.tsx";

const trainerAt = ["base", "trainer"] as const;

type Props = { offered: readonly OfferedTrainer[]; trainer: TrainerChoice | undefined; isPending: boolean };

export function TrainerFields({ offered, trainer, isPending }: Props) {
  const { file, edit, problemOf } = useForm();
  const chosen = offered.find(({ name }) => name === trainer?.name);
  const pick = (name: string) => edit(setIn(file, trainerAt, name === "" ? undefined : { name, options: {} }));
  const missing =
    trainer && !chosen && !isPending ? [{ value: trainer.name, label: `${trainer.name} (not configured)` }] : [];
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
      <ChoiceField
        label="Trained by"
        options={[
          { value: "", label: "The built-in trainer" },
          ...offered.map(({ name, title }) => ({ value: name, label: title })),
          ...missing,
        ]}
        value={trainer?.name ?? ""}
        onChange={pick}
        hint={
          chosen
            ? [kindTexts[chosen.kind], ...sayGpus(chosen)].join(" ")
            : "An administrator can add external trainers in trainers.yaml."
        }
        error={problemOf(trainerAt.join("."))}
      />
      {trainer &&
        Object.entries(chosen?.options ?? {}).map(([name, option]) => (
          <LevelField
            key={name}
            field={toField(name, option)}
            text={String(trainer.options[name] ?? "")}
            isOptional
            onChange={(text) => {
              const value = readText(text, option.type);
              const { [name]: _, ...others } = trainer.options;
              const options = value === undefined ? others : { ...others, [name]: value };
              edit(setIn(file, trainerAt, { ...trainer, options }));
            }}
          />
        ))}
    </div>
  );
}

const kindTexts: Record<OfferedTrainer["kind"], string> = {
  verl: "Passes settings as overrides of verl's configuration, and rejects settings that verl does not have.",
  trl: "Passes settings as arguments of TRL's GRPOConfig, and rejects settings that GRPOConfig does not have.",
  areal: "Passes settings as overrides of AReaL's configuration, and rejects settings that AReaL does not have.",
  primeRl: "Passes settings as arguments of prime-rl, and rejects settings that prime-rl does not have.",
  command: "Passes only the settings that the trainer's command names.",
};

function sayGpus({ gpus }: OfferedTrainer): string[] {
  return gpus === null ? [] : [`A run reserves ${formatCount(gpus, "GPU")} of one node.`];
}

type Value = string | number | boolean;

/** Converts an external trainer's option to a form field. An empty field means the default, its placeholder. */
function toField(name: string, option: TrainerOption): Hyperparameter {
  const common = { path: `trainer.${name}`, group: "trainer", title: name, description: "" };
  switch (option.type) {
    case "flag":
      return { ...common, kind: "flag", default: option.default ?? false };
    case "choice":
      return {
        ...common,
        kind: "choice",
        options: [...option.of],
        ...(option.default !== undefined && { default: option.default }),
      };
    case "number":
    case "text":
      return { ...common, kind: "text", default: option.default === undefined ? "required" : String(option.default) };
  }
}

/** Parses the text of an external trainer's option; an unfinished number ("1e-") is kept as text. */
function readText(text: string, type: TrainerOption["type"]): Value | undefined {
  if (text === "") return undefined;
  if (type === "flag") return text === "true";
  return type === "number" && String(Number(text)) === text ? Number(text) : text;
}
