import { BuiltInEnvironment, environments } from "#trainer/spec/environment.ts";
import { Chips } from "./Chips.tsx";
import { startSeveral } from "./draft/edits.ts";
import { isEnvironmentId, partsIn, textIn, type Part } from "./draft/sweepFile.ts";
import { Problems, useForm } from "./form.tsx";

const severals = [
  {
    id: "mixture",
    title: "Mixture",
    summary:
      "Several environments at once. Each group of episodes attempts a task of one environment, drawn by weight.",
  },
  {
    id: "curriculum",
    title: "Curriculum",
    summary:
      "One environment after another. The run’s own evaluation is in the last; the others are evaluated too, by name.",
  },
] as const;

const builtIn = BuiltInEnvironment.options.map((option) => option.shape.id.value);
const custom = {
  title: "Your own task",
  summary:
    "Takes data, reward function and rollout loop from an external trainer. Choose that trainer in the section Trainer.",
};

export function Environments() {
  const { file, edit } = useForm();
  const all = partsIn(file, ["environments"]);
  const isChosen = (name: string) => all.some(({ id }) => id === name);
  const toggle = (name: string) => {
    const started = name === "mixture" || name === "curriculum" ? startSeveral(name, all) : { id: name };
    edit({ ...file, environments: isChosen(name) ? all.filter(({ id }) => id !== name) : [...all, started] });
  };
  const chips = [
    ...builtIn.map((id) => ({ value: id, label: environments[id].title, title: environments[id].summary })),
    ...severals.map(({ id, title, summary }) => ({ value: id, label: title, title: summary })),
    { value: "custom", label: custom.title, title: custom.summary },
  ];
  return (
    <section aria-label="Environments" id="section-environments" className="flex scroll-mt-16 flex-col gap-2">
      <h2 className="font-semibold">Environments</h2>
      <Chips
        label="Environments"
        groups={[{ title: "", chips: chips.map((chip) => ({ ...chip, isChosen: isChosen(chip.value) })) }]}
        onToggle={toggle}
      />
      {all.length === 0 ? (
        <p className="text-sm text-muted">Choose an environment.</p>
      ) : (
        <Problems field="environments" />
      )}
    </section>
  );
}

/** Returns one sentence about an environment, a mixture or a curriculum. */
export function summaryOf(environment: Part): string {
  const id = textIn(environment, ["id"]);
  return isEnvironmentId(id) ? environments[id].summary : (severals.find((one) => one.id === id) ?? custom).summary;
}
