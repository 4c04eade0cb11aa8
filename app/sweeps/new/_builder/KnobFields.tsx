"use client";
import type { EnvironmentDraft } from "#app/_components/episode/environmentDraft.ts";
import { fieldsOfEnvironment } from "./draft/fields.ts";
import { useForm } from "./form.tsx";
import { HyperparameterField } from "./HyperparameterField.tsx";

type KnobProps<Environment> = { at: string; environment: Environment; onChange: (environment: Environment) => void };

/**
 * Form fields for the settings of one environment; `at` is the form path under which their error messages are
 * reported.
 */
export function KnobFields<E extends EnvironmentDraft>({ at, environment, onChange }: KnobProps<E>) {
  const { problemOf } = useForm();
  const { id, values } = environment;
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {fieldsOfEnvironment(id).map((field) => {
        const knob = field.path.slice("environment.".length);
        return (
          <HyperparameterField
            key={knob}
            field={field}
            text={values[knob] ?? ""}
            problem={problemOf(`${at}.${knob}`)}
            onChange={(text) => onChange({ ...environment, values: { ...values, [knob]: text } })}
          />
        );
      })}
    </div>
  );
}
