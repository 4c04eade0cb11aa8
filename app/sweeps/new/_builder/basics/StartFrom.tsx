"use client";
import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import type { BuilderAction } from "../draft/builderState.ts";

type Props = { canUndo: boolean; dispatch: (action: BuilderAction) => void };

/** Presets to start from; the replaced form can be restored. */
export function StartFrom({ canUndo, dispatch }: Props) {
  const trpc = useTrpc();
  const { data: presets = [] } = useQuery(trpc.sweep.presets.queryOptions());
  const start = (id: string) => dispatch({ do: "start", plan: presets.find((preset) => preset.id === id)?.plan });
  const options = [
    { value: "", label: "Start from…" },
    { value: "nothing", label: "An empty form" },
    ...presets.map(({ id, plan, isPaper }) => ({
      value: id,
      label: plan.name,
      ...(isPaper && { group: "Papers" }),
    })),
  ];
  return (
    <>
      <Choice label="Start from a preset" options={options} value="" onChange={(id) => id !== "" && start(id)} />
      {canUndo && <Button onClick={() => dispatch({ do: "undo" })}>Undo</Button>}
    </>
  );
}
