"use client";
import type { AddressPart } from "./address.ts";
import { ChoiceField, type Option } from "./Choice.tsx";
import { useAddress } from "./useAddress.ts";

type Props<Value extends string> = { label: string; part: AddressPart<Value>; options: readonly Option<Value>[] };

/** Menu of one option in the page's address */
export function AddressChoice<Value extends string>({ label, part, options }: Props<Value>) {
  const [value, setValue] = useAddress(part);
  return <ChoiceField label={label} options={options} value={value} onChange={setValue} />;
}
