"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { classes } from "#app/_ui/classes.ts";
import { Button } from "#app/_ui/Button.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Form } from "#app/_ui/Input.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";

/** Number of nodes up to which the prices are open. */
const maxOpen = 4;

/** Fields of the price per slot-hour of each node; a saved price applies to all costs at once. */
export function Prices() {
  const trpc = useTrpc();
  const { data: rows } = useSuspenseQuery(trpc.nodes.list.queryOptions());
  const nodes = rows.flatMap(({ node, isConfigured }) => (isConfigured ? [node] : []));
  if (nodes.length === 0) return null;
  const unpriced = nodes.flatMap(({ name, pricePerSlotHour: price }) => (price === undefined ? [name] : []));
  const [only] = unpriced;
  return (
    <details className="mb-4 text-sm" open={nodes.length <= maxOpen}>
      <summary className="w-fit cursor-pointer text-muted">
        Prices
        {only !== undefined &&
          `: ${unpriced.length === 1 ? `${only} has` : `${unpriced.length} nodes have`} none, so costs are not known`}
      </summary>
      <ul className="mt-2 grid gap-x-6 gap-y-3 sm:grid-cols-2 xl:grid-cols-4">
        {nodes.map(({ name, pricePerSlotHour: price }) => (
          <li key={name}>
            <PriceField key={price} name={name} price={price} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const maxPrice = 1_000_000;

/** Reads a typed price: null for an empty text, undefined for no price. */
export function readPrice(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const price = /^\s*\d*\.?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
  return price >= 0 && price <= maxPrice ? price : undefined;
}

function PriceField({ name, price }: { name: string; price: number | undefined }) {
  const trpc = useTrpc();
  const refusal = useRefusal("administer");
  const [text, setText] = useState(price === undefined ? "" : String(price));
  const typed = readPrice(text);
  const save = useAction(trpc.cost.setPrice.mutationOptions(), {
    showsError: true,
    stale: [trpc.cost.pathFilter(), trpc.nodes.pathFilter(), trpc.runTable.pathFilter()],
    toast: `Price of ${name} saved`,
  });
  const problem =
    typed === undefined
      ? `“${text}” is no price: write a number from 0 to ${maxPrice.toLocaleString("en-US")}, such as 2.5, or nothing`
      : save.error && errorWords(save.error);
  const isChanged = typed !== undefined && typed !== (price ?? null);
  return (
    <Form
      className={classes("flex gap-2", problem ? "items-center" : "items-end")}
      onSubmit={() => {
        if (isChanged) save.mutate({ name, price: typed });
      }}
    >
      <TextField
        className="flex-1"
        label={`${name}, per slot-hour`}
        inputMode="decimal"
        placeholder="no price"
        value={text}
        error={problem ?? undefined}
        disabled={refusal !== undefined}
        title={refusal}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={!isChanged || save.isPending} title={refusal}>
        Save
      </Button>
    </Form>
  );
}
