"use client";
import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Select } from "#app/_ui/Input.tsx";
import type { BuilderAction } from "../draft/builderState.ts";

type Props = { canUndo: boolean; dispatch: (action: BuilderAction) => void };

/** Presets to start from; what they replace can be brought back. */
export function StartFrom({ canUndo, dispatch }: Props) {
  const trpc = useTrpc();
  const { data: presets = [] } = useQuery(trpc.sweep.presets.queryOptions());
  const start = (id: string) => dispatch({ do: "start", plan: presets.find((preset) => preset.id === id)?.plan });
  return (
    <>
      <Select
        aria-label="Start from a preset"
        value=""
        onChange={({ target }) => target.value !== "" && start(target.value)}
      >
        <option value="">Start from…</option>
        <option value="nothing">An empty form</option>
        {presets.map(({ id, plan }) => (
          <option key={id} value={id}>
            {plan.name}
          </option>
        ))}
      </Select>
      {canUndo && <Button onClick={() => dispatch({ do: "undo" })}>Undo</Button>}
    </>
  );
}
